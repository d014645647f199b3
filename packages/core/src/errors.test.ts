import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, it } from 'vitest';
import * as errors from './errors.js';
import {
  type AnySbxError,
  ClosedError,
  ERROR_CODES,
  type ErrorCode,
  FileAccessError,
  fileErrorCode,
  InvalidOptionsError,
  isSbxError,
  OverloadedError,
  PermissionError,
  ProgramError,
  ProgramNotFoundError,
  SandboxError,
  SbxError,
  UnsupportedError,
} from './errors.js';
import { EMPTY_OUTPUT, Output } from './streams/output.js';
import type { RunResult } from './types/result.js';

const failed: RunResult = {
  status: 'exit',
  evidence: 'exit',
  ok: false,
  exitCode: 3,
  exitSignal: null,
  stdout: new Output(new TextEncoder().encode('what it wrote')),
  stderr: EMPTY_OUTPUT,
  outputs: {},
  usage: { cpuTimeMs: 1, wallTimeMs: 2, memoryPeakBytes: null, fileCacheBytes: null, processPeakCount: 1 },
  files: {},
  fileErrors: [],
  degraded: [],
  orThrow() {
    throw new ProgramError(this);
  },
};

const one: Record<string, SbxError> = {
  SbxError: new SbxError({ code: 'SBX_INTERNAL', message: 'm' }),
  InvalidOptionsError: new InvalidOptionsError({ field: 'f', rule: 'type', expected: 'must be a' }),
  UnsupportedError: new UnsupportedError({ code: 'SBX_NATIVE_UNAVAILABLE', message: 'm.', hint: 'Do h.' }),
  PermissionError: new PermissionError({ message: 'm.', layer: 'userns', hint: 'Do h.' }),
  OverloadedError: new OverloadedError({ message: 'm', retryAfterMs: 20 }),
  ClosedError: new ClosedError('The engine'),
  ProgramNotFoundError: new ProgramNotFoundError({
    file: 'gcc',
    tried: ['/usr/bin/gcc'],
    existsOnHost: true,
  }),
  SandboxError: new SandboxError({
    code: 'SBX_SANDBOX_SETUP',
    message: 'No tmpfs',
    stage: 'mount',
    errno: 12,
  }),
  FileAccessError: new FileAccessError({ operation: 'readFile', path: 'a.txt', errno: 2 }),
  ProgramError: new ProgramError(failed),
};

describe('the table of codes', () => {
  it('names only classes that exist, each at least once', () => {
    const classes = new Set(Object.values(ERROR_CODES).map((row) => row.class));
    expect([...classes].sort()).toEqual(Object.keys(one).sort());
    for (const name of classes) expect(errors).toHaveProperty(name);
  });

  it.each(Object.entries(ERROR_CODES))('%s is well formed', (code, row) => {
    expect(code).toMatch(/^SBX_[A-Z]+(_[A-Z]+)*$/);
    expect(row.meaning).toMatch(/^[A-Z`].*\.$|:/);
  });
});

describe.each(Object.entries(one))('%s', (name, error) => {
  it('has its class, name, code and brand', () => {
    expect(error).toBeInstanceOf(SbxError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(error.constructor.name).toBe(name);
    expect(ERROR_CODES[error.code].class).toBe(name);
    expect(error.retryable).toBe(ERROR_CODES[error.code].retryable);
    expect(isSbxError(error)).toBe(true);
    expect(String(error)).toBe(`${name}: ${error.message}`);
    expect(error.stack?.split('\n')[0]).toContain(name);
  });

  it('goes into JSON as plain data without stack and cause', () => {
    const json = JSON.parse(JSON.stringify(error));
    expect(Object.keys(json)).toEqual(['name', 'code', 'message', 'retryable', 'details']);
    expect(json).toMatchObject({ name, code: error.code, message: error.message });
    expect(structuredClone(error.details)).toEqual(json.details);
  });
});

it('has the fields of its class where the code is known', () => {
  expectTypeOf<AnySbxError['code']>().toEqualTypeOf<ErrorCode>();
  const error: unknown = one.OverloadedError;
  expect(isSbxError(error) && error.code === 'SBX_OVERLOADED' && error.retryAfterMs).toBe(20);
  const denied: unknown = one.FileAccessError;
  expect(isSbxError(denied) && denied.code === 'SBX_FILE_NOT_FOUND' && denied.path).toBe('a.txt');
  expect(isSbxError(denied) && denied.code).toBe('SBX_FILE_NOT_FOUND');
});

describe('facts and sentences', () => {
  it('an option error names field, rule, value and fix', () => {
    const error = new InvalidOptionsError({
      field: 'options.limits.cpuTimeMs',
      rule: 'range',
      expected: 'must be a number of 1 or more',
      got: 'the number 0',
      hint: 'For no limit give null.',
    });
    expect(error.message).toBe(
      'options.limits.cpuTimeMs must be a number of 1 or more; got the number 0. For no limit give null.',
    );
    expect(error.details).toEqual({
      field: 'options.limits.cpuTimeMs',
      rule: 'range',
      expected: 'must be a number of 1 or more',
      got: 'the number 0',
      hint: 'For no limit give null.',
    });
  });

  it('a missing program says where it was looked for and that the host has it', () => {
    expect(one.ProgramNotFoundError?.message).toContain('/usr/bin/gcc');
    expect(one.ProgramNotFoundError?.message).toContain('mounts');
    const nowhere = new ProgramNotFoundError({ file: 'x', tried: [], existsOnHost: null });
    expect(nowhere.message).toBe('There is no program "x" inside the sandbox.');
    const more = { noPath: true } as const;
    const pathless = new ProgramNotFoundError({ file: 'x', tried: ['x'], existsOnHost: false, more });
    expect(pathless.message).toContain('has no PATH');
  });

  it('a program that left out a file says which', () => {
    const fileErrors = [{ path: 'a', code: 'not-found', message: 'a was not made' }] as const;
    const result: RunResult = { ...failed, status: 'file-error', exitCode: 0, fileErrors: [...fileErrors] };
    expect(new ProgramError(result).message).toBe(
      'The program ended with status file-error (exit code 0): a was not made.',
    );
    expect(one.ProgramError?.message).toBe('The program ended with status exit (exit code 3).');
  });

  it('what the system’s words do not explain is said in ours', () => {
    const outside = new FileAccessError({ operation: 'readFile', path: '/etc/passwd', errno: 'EXDEV' });
    expect(outside.message).toContain('readFile "/etc/passwd": The path leads out');
    expect(outside.errnoName).toBe('EXDEV');
    expect(one.FileAccessError?.message).toBe('readFile "a.txt": ENOENT: No such file or directory');
  });

  it('a sandbox error carries stage, index and errno with its name', () => {
    const error = one.SandboxError as SandboxError;
    expect([error.stage, error.index, error.errno, error.errnoName]).toEqual(['mount', 0, 12, 'ENOMEM']);
    expect(error.message).toBe('No tmpfs (stage mount, index 0, ENOMEM: Cannot allocate memory)');
    const without = new SandboxError({ code: 'SBX_SANDBOX_LOST', message: 'Gone', stage: 'run' });
    expect([without.errnoName, without.retryable]).toEqual(['', true]);
    expect(without.message).toBe('Gone (stage run, index 0)');
  });

  it.each([
    ['ENOENT', 'SBX_FILE_NOT_FOUND'],
    ['EXDEV', 'SBX_FILE_OUTSIDE'],
    ['ELOOP', 'SBX_FILE_OUTSIDE'],
    ['EROFS', 'SBX_FILE_DENIED'],
    ['ENOSPC', 'SBX_FILE_NO_SPACE'],
    ['ETXTBSY', 'SBX_FILE_IO'],
  ])('a file error with %s has code %s', (errno, code) => {
    expect(fileErrorCode(errno)).toBe(code);
    const error = new FileAccessError({ operation: 'stat', path: 'p', errno });
    expect([error.code, error.errnoName]).toEqual([code, errno]);
  });

  it('a file error by our own rule has no errno', () => {
    const error = new FileAccessError({ operation: 'readFile', path: 'p', code: 'SBX_FILE_NOT_REGULAR' });
    expect([error.errno, error.errnoName]).toEqual([0, '']);
    expect(error.message).toContain('only regular files');
  });

  it('retryable may differ from the table in one case', () => {
    const init = { code: 'SBX_SANDBOX_SETUP', message: 'm', stage: 'clone', errno: 11 } as const;
    expect(new SandboxError({ ...init, retryable: true }).retryable).toBe(true);
  });

  it('keeps the cause, and makes none up', () => {
    const cause = new Error('inner');
    expect(new ClosedError('The engine', { cause }).cause).toBe(cause);
    expect('cause' in new ClosedError('The engine')).toBe(false);
    expect(new FileAccessError({ operation: 'o', path: 'p', errno: 5, cause }).cause).toBe(cause);
  });

  it('a program error carries the result but shows none of its output', () => {
    const error = one.ProgramError as ProgramError;
    expect(error.result).toBe(failed);
    expect(() => failed.orThrow()).toThrow('status exit (exit code 3)');
    expect(JSON.stringify(error)).not.toContain('wrote');
    expect(inspect(error)).not.toContain('stdout');
  });
});

describe('isSbxError', () => {
  it('knows an error of another copy of the package by its brand', () => {
    const foreign = Object.assign(new Error('m'), { [Symbol.for('@sbx/core/error')]: true });
    expect(isSbxError(foreign)).toBe(true);
  });

  it.each([new Error('m'), null, undefined, 'SBX_CLOSED', { code: 'SBX_CLOSED' }])('refuses %s', (value) => {
    expect(isSbxError(value)).toBe(false);
  });
});

it.each([
  ['options.limits.cpuTimeMs', 'limits.cpuTimeMs', null],
  ['request.programs[12].limits.cpuSet', 'limits.cpuSet', 12],
  ['request.programs[0].env.PATH', 'env', 0],
  ['request.programs[3].files["request.programs[9].args"]', 'files', 3],
  ['options.env["limits.cpuSet"]', 'env', null],
  ['request.pipes[1].from', 'pipes', null],
  ['request.programs', 'programs', null],
  ['args[2]', 'args', null],
  ['requests[2].file', 'file', null],
  ['requests[2].options.limits.cpuTimeMs', 'limits.cpuTimeMs', null],
  ['file', 'file', null],
  ['options', 'options', null],
])('%s is the option %s of program %s', (field, option, programIndex) => {
  const error = new InvalidOptionsError({ field, rule: 'type', expected: 'must be otherwise' });
  expect([error.option, error.programIndex]).toEqual([option, programIndex]);
});
