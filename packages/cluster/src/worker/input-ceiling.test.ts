import { expect, test } from 'vitest';
import type { Blob } from '../wire/blob.js';
import type { WireProgram, WireRequest } from '../wire/request.js';
import { checkInputs } from './input-ceiling.js';

const MAX = 1000;
const stored = (sizeBytes: number): Blob => ({ sha256: 'a'.repeat(64), sizeBytes });
const inMessage = (length: number): Blob => ({ at: [0, length] });
const run = (program: Partial<WireProgram>): WireRequest => ({
  kind: 'run',
  program: { file: 'true', args: [], ...program },
});
const group = (...programs: (Partial<WireProgram> | null)[]): WireRequest => ({
  kind: 'group',
  programs: programs.map((program) => program && { file: 'true', args: [], ...program }),
  pipes: [],
  settle: 'each',
});
const files = (...blobs: Blob[]): WireProgram['files'] => blobs.map((blob, index) => [`f${index}`, { blob }]);

test.each([
  ['nothing', run({})],
  [
    'what is no content',
    run({ stdin: 'pipe', files: [['l', { symlink: 'x' }]], fds: [[3, { input: 'null' }]] }),
  ],
  ['a content at the bound', run({ stdin: { blob: stored(MAX) } })],
  ['several at the bound together', run({ stdin: { blob: stored(500) }, files: files(inMessage(500)) })],
  [
    'a group whose programs are below it together',
    group({ files: files(stored(400)) }, null, { files: files(stored(600)) }),
  ],
])('%s is fine', (_what, request) => checkInputs(request, MAX));

test.each([
  ['options.stdin', run({ stdin: { blob: stored(MAX + 1) } })],
  ['options.pty.input', run({ pty: { input: { blob: inMessage(MAX + 1) } } })],
  ['options.fds[4].input', run({ fds: [[4, { input: { blob: stored(MAX + 1) } }]] })],
  ['options.files["f2"]', run({ files: files(stored(400), inMessage(400), stored(400)) })],
  ['options.files["f1"]', run({ stdin: { blob: stored(500) }, files: files(inMessage(500), inMessage(1)) })],
  [
    'request.programs[2].stdin',
    group({ stdin: { blob: stored(600) } }, null, { stdin: { blob: stored(600) } }),
  ],
])('%s is beyond it', (field, request) => {
  expect(() => checkInputs(request, MAX)).toThrow(
    expect.objectContaining({
      name: 'InvalidOptionsError',
      field,
      rule: 'ceiling',
      message: expect.stringContaining(
        `${field} must be at most 1000 bytes on this worker, together with the other contents of the job; got 1`,
      ),
    }),
  );
});

test('one content that is named many times counts each time', () => {
  const request = run({ files: files(...Array<Blob>(3).fill(inMessage(400))) });
  expect(() => checkInputs(request, MAX)).toThrow(/got 1200 bytes.*inputBytesMax.*--max-input/);
});
