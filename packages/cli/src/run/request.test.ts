import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RunFlags } from '../flags.js';
import { makeRequest, type RunInput } from './request.js';

const flags: RunFlags = { network: 'none', seccomp: 'default', seccompAction: 'errno' };
const input = (changes: Partial<RunInput> = {}): RunInput => ({
  file: undefined,
  args: [],
  program: null,
  flags,
  ...changes,
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-cli-test-'));
  writeFileSync(join(folder, 'a.py'), 'print(1)', { mode: 0o755 });
});
afterAll(() => rmSync(folder, { recursive: true }));

test('what stands after the dashes is a program of the sandbox', async () => {
  const request = await makeRequest(input({ program: ['echo', '-n', '--json'] }));
  expect(request.target).toEqual({ kind: 'program', file: 'echo', args: ['-n', '--json'] });
  expect(request).toMatchObject({ network: false, json: false, limits: {}, env: {}, files: {}, copyOut: {} });
});

test('a file is read, and arguments before and after the dashes are its program’s', async () => {
  const path = join(folder, 'a.py');
  const { target } = await makeRequest(input({ file: path, args: ['1'], program: ['--two'] }));
  expect(target).toMatchObject({ kind: 'file', path, name: 'a.py', args: ['1', '--two'] });
});

test('a device without an end is no program', async () => {
  await expect(makeRequest(input({ file: '/dev/zero' }))).rejects.toMatchObject({
    message: '/dev/zero is too large to run: more than 67108864 bytes',
    exitCode: 66,
  });
});

test('flags become options', async () => {
  const path = join(folder, 'a.py');
  const request = await makeRequest(
    input({
      program: ['x'],
      flags: {
        ...flags,
        cpuTime: '1s',
        env: ['A=1', 'B=x=y', 'C='],
        file: [`in.py=${path}`, path],
        copyOut: ['out.txt=/tmp/o', 'log/all.txt'],
        network: 'loopback',
        cwd: 'sub',
      },
    }),
  );
  expect(request).toMatchObject({
    limits: { cpuTimeMs: 1000 },
    env: { A: '1', B: 'x=y', C: '' },
    files: { 'in.py': { hostFile: path, mode: 0o755 }, 'a.py': { hostFile: path } },
    copyOut: { 'out.txt': '/tmp/o', 'log/all.txt': 'all.txt' },
    network: 'loopback',
    cwd: 'sub',
  });
});

describe('mistakes', () => {
  const cases: [string, () => RunInput, number, RegExp, RegExp | null][] = [
    ['nothing to run', () => input(), 64, /nothing to run/, /sbx run FILE/],
    [
      'nothing to manage',
      () => ({ ...input(), command: 'fifo run' }),
      64,
      /nothing to run/,
      /sbx fifo run FILE/,
    ],
    ['nothing after the dashes', () => input({ program: [] }), 64, /nothing to run/, null],
    ['an empty program', () => input({ program: [''] }), 64, /empty/, null],
    [
      'a file that is not there',
      () => input({ file: 'echo', args: ['hi'] }),
      66,
      /no file "echo"/,
      /sbx run -- echo hi/,
    ],
    ['a folder', () => input({ file: folder }), 66, /cannot read/, null],
    [
      'a variable without value',
      () => input({ program: ['x'], flags: { ...flags, env: ['A'] } }),
      64,
      /--env: "A"/,
      null,
    ],
    [
      'a name twice',
      () => input({ program: ['x'], flags: { ...flags, env: ['A=1', 'A=2'] } }),
      64,
      /twice/,
      null,
    ],
    [
      'a missing file',
      () => input({ program: ['x'], flags: { ...flags, file: ['/nope'] } }),
      66,
      /--file: cannot read/,
      null,
    ],
    [
      'a bad time',
      () => input({ program: ['x'], flags: { ...flags, cpuTime: '5' } }),
      64,
      /--cpu: "5" is not a time/,
      null,
    ],
    [
      'a language for a program',
      () => input({ program: ['x'], flags: { ...flags, language: 'c' } }),
      64,
      /--language/,
      null,
    ],
    [
      'two kinds of output',
      () => input({ program: ['x'], flags: { ...flags, tty: true, json: true } }),
      64,
      /exclude/,
      null,
    ],
  ];
  test.each(cases)('%s', async (_name, make, ...expected) => {
    const [exitCode, message, hint] = expected;
    const error = await makeRequest(make()).catch((caught) => caught);
    expect(error).toMatchObject({ name: 'UsageError', exitCode });
    expect(error.message).toMatch(message);
    if (hint !== null) expect(error.hint).toMatch(hint);
  });
});
