import { fileURLToPath } from 'node:url';
import {
  InvalidOptionsError,
  PermissionError,
  ProgramNotFoundError,
  SandboxError,
  UnsupportedError,
} from '@sbx/core';
import { expect, test } from 'vitest';
import { EXIT } from './exit-codes.js';
import { reportFailure } from './failure.js';
import { captured } from './testing/captured.js';
import { UsageError } from './usage-error.js';

const tell = (error: unknown, json = false) => captured(() => reportFailure(error, 'run', json));

test('a mistake of the user', async () => {
  const told = await tell(new UsageError('nothing to run', 'Write: …'));
  expect(told).toEqual({ stdout: '', stderr: 'sbx: error: nothing to run\nsbx: Write: …\n', value: 64 });
});

test.each([
  [EXIT.usage, 'USAGE'],
  [EXIT.noInput, 'NO_INPUT'],
])('the code of a mistake that exits with %i', async (exitCode, code) => {
  const { stdout, value } = await tell(new UsageError('there is no file', null, exitCode), true);
  expect(value).toBe(exitCode);
  expect(JSON.parse(stdout).error.code).toBe(code);
});

test('a wrong working folder is told by its flag', async () => {
  const message = 'The working folder "/nope" does not exist inside the sandbox';
  const place = { stage: 'workingFolder', index: 0, errno: 2, isPlain: true };
  const told = await tell(new SandboxError({ code: 'SBX_BAD_CWD', message, ...place }));
  expect(told).toMatchObject({
    value: 64,
    stderr: 'sbx: error: --cwd: the working folder "/nope" does not exist inside the sandbox.\n',
  });
});

test('an error of the library has its own code and points to the doctor', async () => {
  const error = new PermissionError({ layer: 'cgroup', message: 'Read-only.', hint: 'Mount it.' });
  const told = await tell(error);
  expect(told.value).toBe(77);
  expect(told.stderr).toContain('Read-only. Mount it.');
  expect(told.stderr).toContain('sbx doctor');
  const json = await tell(error, true);
  expect(JSON.parse(json.stdout)).toMatchObject({
    version: 1,
    command: 'run',
    error: { code: 'SBX_PERMISSION', details: { layer: 'cgroup' } },
    exitStatus: 77,
  });
});

test('a guarantee that is missing is told with the flag, not with the option of a program', async () => {
  const error = new UnsupportedError({
    code: 'SBX_REQUIRED_FEATURE_MISSING',
    message: 'This machine cannot.',
    hint: 'Delegate. Or Engine.open({ require: [] }).',
    details: { problem: 'This machine cannot.', fix: 'Delegate.' },
  });
  const told = await tell(error);
  expect(told.stderr).toMatch(/This machine cannot\. Delegate\.\n.*sbx doctor.*--allow-degraded/);
  expect(told).toMatchObject({ value: 69, stderr: expect.not.stringContaining('Engine.open') });
});

test('a limit that the cgroup refuses is nothing for the doctor', async () => {
  const details = { isLimit: true };
  const error = new PermissionError({
    layer: 'cgroup',
    message: 'The CPU set 9 …',
    hint: 'Name CPUs …',
    details,
  });
  const told = await tell(error);
  expect(told).toMatchObject({ value: 77, stderr: 'sbx: error: The CPU set 9 … Name CPUs …\n' });
});

test.each([
  [
    'options.limits.memoryBytes',
    'must be 4096, or null for no limit',
    '--memory must be 4096, or none for no limit',
  ],
  ['options.limits.cpuSet', 'must be a list', '--cpu-set must be a list'],
  ['options.files["../x"]', "must not have a '..' part", "--file must not have a '..' part"],
  ['options.signal', 'must be an AbortSignal', 'options.signal must be an AbortSignal'],
])('a refused %s is told by its flag', async (field, expected, message) => {
  const error = new InvalidOptionsError({ field, rule: 'type', expected, got: 'the number 1' });
  const told = await tell(error);
  expect(told).toMatchObject({ value: 64, stderr: `sbx: error: ${message}; got the number 1.\n` });
  const json = JSON.parse((await tell(error, true)).stdout);
  expect(json.error.details.field).toBe(field);
});

const ownFile = new URL(import.meta.url).pathname;
test.each([
  [
    'one of a toolchain',
    'go',
    { onHost: '/usr/local/go/bin/go' },
    'Here that is: --toolchain /usr/local/go\n',
  ],
  ['a file of the user', ownFile, {}, `sbx run ${ownFile}, or bring it along with --file ${ownFile}.\n`],
  ['a line of shell', 'python3 a.py', {}, 'Give program and arguments apart: sbx run -- python3 a.py\n'],
])('a program that is not inside: %s', async (_, file, more, hint) => {
  const error = new ProgramNotFoundError({ file, tried: [], existsOnHost: false, more });
  const told = await tell(error);
  expect(told.value).toBe(127);
  expect(told.stderr).toContain(hint);
});

test.each(['nowhere', `${fileURLToPath(import.meta.url)}/below`])(
  'and one that is nowhere has no hint',
  async (file) => {
    const error = new ProgramNotFoundError({ file, tried: [], existsOnHost: false });
    expect((await tell(error)).stderr).toBe(`sbx: error: ${error.message}\n`);
  },
);

test('a terminal obeys nothing of what is told', async () => {
  const name = 'a\u001b[2J\u009b\nsbx: ok\u202e.py';
  const shown = 'a\\u{1b}[2J\\u{9b}\\u{a}sbx: ok\\u{202e}.py';
  const { stderr } = await tell(new UsageError(`cannot read ${name}`, `Write: ${name}`));
  expect(stderr).toBe(`sbx: error: cannot read ${shown}\nsbx: Write: ${shown}\n`);
  expect((await tell(new TypeError(name))).stderr).not.toMatch(/[^\n -~]/);
});

test('anything else is a bug, told with its stack', async () => {
  const told = await tell(new TypeError('x is not a function'));
  expect(told.value).toBe(70);
  expect(told.stderr).toMatch(/TypeError: x is not a function\n {4}at/);
});
