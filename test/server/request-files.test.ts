/** A reader who follows one request through the servers and the engine should not open more files. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const SCRIPT = fileURLToPath(new URL('../helpers/executed-files.mjs', import.meta.url));

it.each([
  ['gojudge', 'POST /run', 60],
  ['fathom', 'execute', 50],
])('%s: one %s runs code of few files', (protocol, _, most) => {
  const files: string[] = JSON.parse(
    execFileSync(process.execPath, ['--enable-source-maps', SCRIPT, protocol], { encoding: 'utf8' }),
  );
  expect(files).toContain('core/src/run/running.ts'); // it was counted at all
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
});
