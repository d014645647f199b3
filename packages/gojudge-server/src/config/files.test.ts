import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { stringify } from 'yaml';
import { ConfigError } from './config-error.js';
import { readMountConf, readSeccompConf } from './files.js';
import { makeRoot } from './mounts.js';

const numRuns = Number(process.env.SBX_FUZZ_RUNS ?? 300);
/** The same inputs in each run of CI; others when more are asked for. */
const seed = process.env.SBX_FUZZ_RUNS === undefined ? 1 : Date.now();
const timeout = Math.max(30_000, numRuns * 5);

vi.spyOn(process, 'emitWarning').mockReturnValue(); // about odd YAML: hundreds

const folder = mkdtempSync(join(tmpdir(), 'sbx-config-'));
const path = join(folder, 'conf.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

const scalar = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constantFrom(
    null,
    '',
    '/',
    '..',
    '/w',
    '/bin',
    'bind',
    'tmpfs',
    'allow',
    'errno',
    'Equal',
    'read',
    'size=1m',
  ),
);
const anything = fc.oneof(
  { weight: 4, arbitrary: scalar },
  fc.array(scalar, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('toString', '__proto__', 'length', 'a'), scalar, { maxKeys: 2 }),
);
const table = (names: readonly string[], value: fc.Arbitrary<unknown> = anything) =>
  fc.dictionary(fc.constantFrom(...names), value, { maxKeys: names.length });
const row = table(['type', 'source', 'target', 'readonly', 'readOnly', 'data', 'linkPath']);
const group = table(
  ['names', 'action', 'names_with_args'],
  fc.oneof(anything, fc.array(row, { maxLength: 2 })),
);
const conf = table(
  [
    'mount',
    'symLink',
    'maskPath',
    'proc',
    'procrw',
    'workDir',
    'hostName',
    'uid',
    'initCmd',
    'default_action',
    'syscalls',
  ],
  fc.oneof(anything, fc.array(row, { maxLength: 3 }), fc.array(group, { maxLength: 3 })),
);
/** As a file: written well, or with some characters overwritten. */
const text = fc.oneof(
  fc.tuple(fc.oneof(conf, anything)).map(([value]) => stringify(value)),
  fc
    .tuple(
      conf,
      fc.array(fc.tuple(fc.nat(400), fc.constantFrom(...'{}[]:,-#&*!|>\'"%@`\t\0\n')), { maxLength: 4 }),
    )
    .map(([value, edits]) => {
      const chars = [...stringify(value)];
      for (const [at, char] of edits) chars[at % Math.max(1, chars.length)] = char;
      return chars.join('');
    }),
);

describe.each([
  ['mount.yaml', async () => void makeRoot((await readMountConf(path)).conf, '')],
  ['seccomp.yaml', async () => void (await readSeccompConf(path))],
])('%s', (_, read) => {
  it('is taken or refused as what it is, whatever it says', { timeout }, async () => {
    await fc.assert(
      fc.asyncProperty(text, async (content) => {
        writeFileSync(path, content);
        try {
          await read();
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
          expect((error as Error).message.length).toBeLessThan(20_000);
        }
      }),
      { numRuns, seed },
    );
  });
});
