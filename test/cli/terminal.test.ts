// `sbx run` on a terminal: a pty of Python's, since the command asks its descriptors.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { SBX } from './sbx.js';

const IN_A_TERMINAL = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))';

function onTerminal(args: readonly string[], env: Record<string, string> = {}) {
  const { stdout, status } = spawnSync('python3', ['-c', IN_A_TERMINAL, process.execPath, SBX, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, TERM: 'xterm', ...env },
  });
  return { shown: stdout.replaceAll('\x1b', 'ESC'), status };
}

const shell = (script: string, ...options: string[]) => ['run', ...options, '--', 'sh', '-c', script];

test.each([
  ['without a bound on its output', []],
  ['with one', ['--output', '1MiB']],
])('a long run %s shows a live line, which is erased before the coloured verdict', (_name, options) => {
  const { shown, status } = onTerminal(shell('echo begun; sleep 1.2; exit 3', ...options));
  expect(status).toBe(3);
  expect(shown).toMatch(/^begun\r\n/);
  expect(shown).toMatch(/\rESC\[2KESC\[2mrunning · cpu .* · wall \d+ ms · memory .*ESC\[22m/);
  expect(shown).toMatch(/\rESC\[2Ksbx: ESC\[31mexitESC\[39m, exit code 3 · [^\r]*\r\n$/);
});

test('NO_COLOR takes the colours away', () => {
  const { shown } = onTerminal(shell('sleep 0.8'), { NO_COLOR: '1' });
  expect(shown).toContain('\rESC[2Krunning · cpu ');
  expect(shown).not.toMatch(/ESC\[\d+m/);
});

test('a short run shows its verdict alone', () => {
  expect(onTerminal(shell('echo x')).shown).toMatch(/^x\r\nsbx: ESC\[32mokESC\[39m, exit code 0 [^\r]*\r\n$/);
});
