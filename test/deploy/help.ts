// The usage text of the server that is deployed.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

let known: string | undefined;

export function sbxGojudgeHelp(): string {
  known ??= ask();
  return known;
}

function ask(): string {
  const bin = fileURLToPath(new URL('../../packages/gojudge-server/bin/sbx-gojudge.mjs', import.meta.url));
  const { stdout, stderr } = spawnSync(process.execPath, [bin, '--help'], { encoding: 'utf8' });
  return stdout + stderr;
}
