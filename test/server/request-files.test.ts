/** A reader who follows one request through the servers and the engine should not open more files. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const execute = promisify(execFile);
const SCRIPT = fileURLToPath(new URL('../helpers/executed-files.mjs', import.meta.url));

it.concurrent.each([
  ['gojudge', 'POST /run', 60],
  ['fathom', 'execute', 50],
])('%s: one %s runs code of few files', async (protocol, _, most) => {
  const { stdout } = await execute(process.execPath, ['--enable-source-maps', SCRIPT, protocol]);
  const files: string[] = JSON.parse(stdout);
  expect(files).toContain('core/src/run/running.ts'); // it was counted at all
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
});
