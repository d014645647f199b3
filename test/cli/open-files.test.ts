// Too few open files: a sentence, whichever part runs out of them first.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SBX } from './sbx.js';

const GOJUDGE = fileURLToPath(new URL('../../packages/gojudge-server/bin/sbx-gojudge.mjs', import.meta.url));
const ADDRESSES = ['-http-addr', '127.0.0.1:0', '-monitor-addr', '127.0.0.1:0'];

const withFiles = (count: number, command: string[]) => [
  '-c',
  `ulimit -n ${count}; exec "$0" "$@"`,
  process.execPath,
  ...command,
];

/** With which Node runs a file that does nothing: it differs by its version, and with fewer it crashes. */
function fewestFiles(): number {
  const folder = mkdtempSync(join(tmpdir(), 'sbx-test-files-'));
  const file = join(folder, 'nothing.mjs');
  writeFileSync(file, '');
  let count = 16;
  while (spawnSync('sh', withFiles(count, [file])).status !== 0) count++;
  rmSync(folder, { recursive: true });
  return count;
}

test.each([
  [64, [SBX, 'run', '--', 'true']],
  [fewestFiles(), [SBX, 'run', '--', 'true']],
  [64, [SBX, 'serve', 'fathom', '--port', '0']],
  [64, [SBX, 'serve', 'gojudge', ...ADDRESSES]],
  [64, [GOJUDGE, ...ADDRESSES]],
])('ulimit -n %d: %j', async (count, command) => {
  const stderr = await new Promise<string>((resolve) => {
    execFile('sh', withFiles(count, command), { timeout: 15_000 }, (_, _out, text) => resolve(text));
  });
  expect(stderr).toMatch(/files/);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
});
