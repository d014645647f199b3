// A process that exits with an engine open leaves no zombie, also where pid 1 reaps nobody.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const script = fileURLToPath(new URL('../helpers/exit-with-engine.mjs', import.meta.url));

/** Names and states of what is left in a pid namespace whose pid 1 is `cat`, after the script has exited. */
function leftBehind(): string[] {
  const inside = 'exec cat < <("$@"; cat /proc/[0-9]*/stat)';
  const command = [process.execPath, script, import.meta.resolve('@sbx/core')];
  const args = ['--pid', '--fork', '--mount-proc', '--kill-child', 'bash', '-c', inside, 'bash', ...command];
  const lines = execFileSync('unshare', args, { encoding: 'utf8' }).split('\n');
  return lines.flatMap((line) => /\((sbx-[^)]*\) \w)/.exec(line)?.[1] ?? []);
}

it('process.exit() with an engine open leaves no zombie to pid 1', () => {
  expect(leftBehind()).toEqual([]);
}, 30_000);
