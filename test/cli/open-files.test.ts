// Too few open files: a sentence, whichever part runs out of them first.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { SBX } from './sbx.js';

const GOJUDGE = fileURLToPath(new URL('../../packages/gojudge-server/bin/sbx-gojudge.mjs', import.meta.url));
const ADDRESSES = ['-http-addr', '127.0.0.1:0', '-monitor-addr', '127.0.0.1:0'];

test.each([
  [64, [SBX, 'run', '--', 'true']],
  [20, [SBX, 'run', '--', 'true']],
  [64, [SBX, 'serve', 'fathom', '--port', '0']],
  [64, [SBX, 'serve', 'gojudge', ...ADDRESSES]],
  [64, [GOJUDGE, ...ADDRESSES]],
])('ulimit -n %d: %j', async (count, command) => {
  const script = `ulimit -n ${count}; exec "$0" "$@"`;
  const stderr = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', script, process.execPath, ...command], { timeout: 15_000 }, (_, _out, text) =>
      resolve(text),
    );
  });
  expect(stderr).toMatch(/files/);
  expect(stderr).not.toMatch(/^ {4}at /m);
  expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2);
});
