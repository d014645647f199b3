import { expect, test } from 'vitest';
import { runMain } from './program.js';
import { captured } from './testing/captured.js';

const sbx = (...argv: string[]) => captured(() => runMain(argv));

test('version and help go to stdout and end with 0', async () => {
  expect(await sbx('--version')).toMatchObject({
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    value: 0,
  });
  const help = await sbx('--help');
  expect(help).toMatchObject({ stderr: '', value: 0 });
  for (const command of ['run', 'doctor', 'languages', 'bench'])
    expect(help.stdout).toContain(`  ${command} `);
});

test('help of a command, in both forms', async () => {
  const [one, two] = [await sbx('help', 'run'), await sbx('run', '--help')];
  expect(one.stdout).toBe(two.stdout);
  expect(one.stdout).toContain('Usage: sbx run [options] <file> [args...]');
  expect(one.stdout).toContain('--cpu, --cpu-time <time>');
});

test.each([
  [['rn'], /unknown command 'rn'\n\(Did you mean run\?\)/],
  [['help', 'doctr'], /unknown command 'doctr'\n\(Did you mean doctor\?\)/],
  [['help', 'serve', 'fathm'], /there is no protocol "fathm"/],
  [['serve', 'fathm', '--help'], /there is no protocol "fathm"/],
  [['help', 'cluster', 'stats'], /unknown command 'stats'\n\(Did you mean status\?\)/],
  [['run', '--memry', '1MiB'], /unknown option '--memry'\n\(Did you mean --memory\?\)/],
  [['run', '--network', 'host', '--', 'x'], /Allowed choices are none, loopback/],
  [['run', '--cpu'], /argument missing/],
  [['doctor', 'x'], /too many arguments/],
  [['--bogus'], /unknown option/],
])('%j is wrong usage', async (argv, message) => {
  const { stdout, stderr, value } = await sbx(...argv);
  expect({ stdout, value }).toEqual({ stdout: '', value: 64 });
  expect(stderr).toMatch(/^sbx: /);
  expect(stderr).toMatch(message);
});

test.each([
  [['run', 'python3', '-c', 'print(1)'], "sbx run -- python3 -c 'print(1)'"],
  [['run', '--cpu', '1s', 'node', '-e', '1'], 'sbx run --cpu 1s -- node -e 1'],
  [['run', 'ls', '/usr'], 'sbx run -- ls /usr'],
  [['fifo', 'run', 'python3', '-u', 'agent.py'], 'sbx fifo run -- python3 -u agent.py'],
])('%j: a program without its -- is told so', async (argv, wanted) => {
  const { stderr, value } = await sbx(...argv);
  expect([64, 66]).toContain(value);
  expect(stderr).toContain(`put -- before it: ${wanted}\n`);
});

test.each([
  [['run', '--timeout', '1s', 'loop.py'], 'Give --wall (real time) or --cpu (time on the CPU).\n'],
  [['run', '--timeout=1s', 'loop.py'], 'Give --wall (real time) or --cpu (time on the CPU).\n'],
  [['run', '--time', '1s', 'loop.py'], 'Give --wall (real time) or --cpu (time on the CPU).\n'],
  [['run', '--cpus', '2', 'loop.py'], 'Give --cpu-rate (CPUs’ worth of time per second) or --cpu-set'],
  [['run', '--net', 'loop.py'], 'Give --network loopback, or nothing: no option leads outside.\n'],
  [['run', '--cpu=1s', '--lang', 'python', 'a.py'], 'Give --language.\n'],
])('%j: the name of another tool', async (argv, hint) => {
  const { stderr, value } = await sbx(...argv);
  expect(value).toBe(64);
  expect(stderr).toContain(hint);
  expect(stderr).not.toContain('Did you mean');
});

test.each([
  [['--foo'], '-- --foo'],
  [['in.txt', '--cpu', '1s', '--foo', 'x y'], "in.txt --cpu 1s -- --foo 'x y'"],
])('an argument of a file with dashes, %j, is told to go after --', async (args, wanted) => {
  const file = new URL(import.meta.url).pathname;
  const { stderr, value } = await sbx('run', file, ...args);
  expect(value).toBe(64);
  expect(stderr).toContain(`What is for ${file} itself goes after --: sbx run ${file} ${wanted}\n`);
});

test('the name of another tool behind a file is told as before it', async () => {
  const { stderr } = await sbx('run', new URL(import.meta.url).pathname, '--cpu', '1s', '--timeout', '5s');
  expect(stderr).toContain('Give --wall (real time) or --cpu (time on the CPU).\n');
});

test('the value of an option that is none is not taken for the program', async () => {
  const { stderr } = await sbx('run', '--memry', '64MiB', 'loop.py');
  expect(stderr).toContain('(Did you mean --memory?)');
  expect(stderr).not.toContain('before it');
});

test('a file where the command should be', async () => {
  const file = new URL(import.meta.url).pathname;
  const { stderr, value } = await sbx(file, '-x');
  expect(value).toBe(64);
  expect(stderr).toContain(`To run a file, write: sbx run ${file} -x\n`);
  expect((await sbx('nothing.py')).stderr).not.toContain('To run a file');
});

test('a protocol that is none is named, with those that are', async () => {
  expect(await sbx('serve', 'fathm')).toMatchObject({
    value: 64,
    stderr: expect.stringMatching(/there is no protocol "fathm"\n.*fathom, gojudge, mcp/),
  });
});

test('a wrong path is not taken for a program', async () => {
  expect((await sbx('run', './solution.py', '-x')).stderr).not.toContain('before it');
});

test('no command is wrong usage and shows the help', async () => {
  const { stdout, stderr, value } = await sbx();
  expect({ stdout, value }).toEqual({ stdout: '', value: 64 });
  expect(stderr).toContain('Usage: sbx');
});

test('with --json a mistake is an object on stdout too', async () => {
  const { stdout, value } = await sbx('run', '--json', '--memry', '1MiB');
  expect(value).toBe(64);
  expect(JSON.parse(stdout)).toMatchObject({
    version: 1,
    command: 'run',
    error: { code: 'USAGE' },
    exitStatus: 64,
  });
});
