import { expect, test } from 'vitest';
import type { WireProgram } from '../wire/request.js';
import { checkTogether, underCeiling } from './output-ceiling.js';

const MiB = 2 ** 20;
const MAX = 16 * MiB;
const capture = (maxBytes: number) => ({ capture: { maxBytes } });
const program = (more: Partial<WireProgram> = {}): WireProgram => ({ file: 'true', args: [], ...more });
const fds = (count: number, output: 'capture' | ReturnType<typeof capture>): WireProgram['fds'] =>
  Array.from({ length: count }, (_, index) => [index + 3, { output }]);

test.each([
  ['what is said of nothing', [program()]],
  ['stdout and stderr at the bound each', [program({ stdout: capture(MAX), stderr: capture(MAX) })]],
  ['both by the limit', [program({ limits: { outputBytes: MAX } })]],
  ['outputs that go elsewhere', [program({ limits: { outputBytes: MAX }, fds: fds(1, capture(0)) })]],
  ['as many programs as there is room for', Array.from({ length: 16 }, () => program())],
  ['several outputs below the bound together', [program({ fds: fds(3, capture(5 * MiB)) })]],
])('%s is fine', (_what, programs) => {
  for (const each of programs) underCeiling(each, MAX, programs.length);
  checkTogether('options.fds', programs, MAX);
});

test.each([
  ['two outputs beyond', [program({ fds: fds(2, capture(MAX)) })]],
  ['many at the limit of the job', [program({ limits: { outputBytes: MAX }, fds: fds(2, 'capture') })]],
  ['many at the limit of the engine', [program({ fds: fds(200, 'capture') })]],
  ['one beside stdout', [program({ stdout: capture(MAX), fds: fds(1, capture(1)) })]],
  ['a terminal beside one', [program({ pty: { capture: { maxBytes: MAX } }, fds: fds(1, capture(1)) })]],
  ['two programs at the bound', [1, 2].map(() => program({ stdout: capture(MAX) }))],
])('%s is refused, though each alone is not', (_what, programs) => {
  for (const each of programs) underCeiling(each, MAX, programs.length);
  expect(() => checkTogether('options.fds', programs, MAX)).toThrow(
    /^options\.fds must capture at most 16777216 bytes in all outputs together/,
  );
});
