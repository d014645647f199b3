// The bash script is sourced and asked as bash itself asks it: by its function, over the words of a line.
import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { runMain } from '../program.js';
import { captured } from '../testing/captured.js';

const { stdout: script } = await captured(() => runMain(['completion', 'bash']));

function offered(...words: string[]): string[] {
  const ask = `COMP_WORDS=(sbx "$@"); COMP_CWORD=$#; _sbx; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', `set -eu\n${script}\n${ask}`, 'bash', ...words], {
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

test.each([
  [['ru'], ['run']],
  [
    ['serve', ''],
    ['fathom', 'gojudge', 'mcp'],
  ],
  [
    ['completion', ''],
    ['bash', 'zsh', 'fish'],
  ],
  [
    ['run', '--cpu'],
    ['--cpu', '--cpu-time', '--cpu-rate', '--cpu-weight', '--cpu-set'],
  ],
  [
    ['run', '--network', ''],
    ['none', 'loopback'],
  ],
  [['run', '--memory', '64MiB', '--tt'], ['--tty']],
  [['serve', 'fathom', '--standby-'], ['--standby-memory']],
  [['cluster', 'status', '--na'], ['--nats']],
  [['serve', 'gojudge', '-file'], ['-file-timeout']],
  [['serve', 'gojudge', '--clu'], ['--cluster']],
  [['serve', 'gojudge', '-silent', '-mount-conf', 'run', '-paral'], ['-parallelism']],
  [['serve', 'mcp', '--total'], ['--total-memory']],
  [['serve', '--protocols', 'fathom', '--standby-'], []], // a value is no command
  [['run', '--memory', ''], []], // bash offers files where nothing is offered here
  [['run', '--', 'prog', '--'], []], // a program's own arguments
])('bash: %j', (words, wanted) => {
  expect(offered(...words)).toEqual(wanted);
});

test('bash: every option of the help is offered', async () => {
  const { stdout: help } = await captured(() => runMain(['run', '--help']));
  const flags = [...help.matchAll(/^ {2}(?:-\w, )?(--[a-z-]+)/gm)].map((match) => match[1]);
  expect(flags.length).toBeGreaterThan(20);
  expect(offered('run', '--')).toEqual(expect.arrayContaining(flags));
});

test.each(['zsh', 'fish'])('%s: every command and option of the help stands in the script', async (shell) => {
  const { stdout } = await captured(() => runMain(['completion', shell]));
  const { stdout: help } = await captured(() => runMain(['worker', '--help']));
  for (const [, flag] of help.matchAll(/^ {2}--([a-z-]+)/gm))
    expect(stdout).toContain(shell === 'fish' ? `-l ${flag}` : `'--${flag}:`);
});

test('fish: an option of several letters behind one dash', async () => {
  const { stdout } = await captured(() => runMain(['completion', 'fish']));
  expect(stdout).toMatch(/^complete -c sbx -n '__sbx_is "serve gojudge"' -o http-addr -r -d /m);
});

test('another shell is wrong usage', async () => {
  const { stdout, stderr, value } = await captured(() => runMain(['completion', 'tcsh']));
  expect({ stdout, value }).toEqual({ stdout: '', value: 64 });
  expect(stderr).toContain('Allowed choices are bash, zsh, fish');
});
