import {
  FileAccessError,
  InvalidOptionsError,
  OverloadedError,
  PermissionError,
  ProgramNotFoundError,
  SandboxError,
  SbxError,
} from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { CancelledBefore, RunFailure, StartFailure } from '../errors.js';
import type { JobProgram } from './job.js';
import { mapError, mapUntried, throwForRequest } from './map-error.js';
import type { Plan } from './plan.js';
import { notStarted } from './program-result.js';
import type { RunScope } from './scope.js';

const signal = new AbortController().signal;
const collector = { kind: 'collector', name: 'out', max: 5, pipe: false, fd: 1 } as const;

function scopeOf({ clone3 = false, signal: asked = signal } = {}) {
  return {
    settings: { workDir: '/w', runnerConfig: { clone3 } },
    job: { programs: [{}] },
    budget: { totalBytes: 100, shareBytes: 100, leftBytes: 100 },
    signal: asked,
  } as unknown as RunScope;
}

function planOf(name: string, more: Partial<JobProgram> = {}, collectors: Plan['collectors'] = []): Plan {
  const program = {
    args: [name],
    limits: { cpuNs: 1, memoryBytes: 1 },
    copyIn: [],
    copyOut: [],
    cachedNames: new Set(),
    ...more,
  } as unknown as JobProgram;
  return { index: 0, program, collectors, request: null, failure: null };
}

const notFound = (file: string, more: object = {}) =>
  new ProgramNotFoundError({ file, tried: [file], existsOnHost: false, more });
const messageOf = async (error: unknown, plan = planOf('prog'), scope = scopeOf()) =>
  (await mapError(scope, plan, error)).error;

describe('what kept a program from starting', () => {
  it.each<[string, number, number, string]>([
    ['/prog', 0, 0, 'Memory Limit Exceeded'],
    ['/prog', 1, 0, 'Memory Limit Exceeded'],
    ['/prog', 0, 1, 'Time Limit Exceeded'],
    ['/prog', 1, 1, 'Internal Error'],
    ['prog', 0, 0, 'Internal Error'],
  ])('%s with %i ns and %i bytes is %s', async (name, cpuNs, memoryBytes, status) => {
    const limits = { cpuNs, memoryBytes } as JobProgram['limits'];
    expect((await mapError(scopeOf(), planOf(name, { limits }), notFound(name))).status).toBe(status);
  });

  it('is Internal Error, and collectors are there, empty', async () => {
    const result = await mapError(scopeOf(), planOf('prog', {}, [collector]), notFound('prog'));
    expect(result).toMatchObject({ status: 'Internal Error', exitStatus: 0 });
    expect([...result.files.keys()]).toEqual(['out']);
  });

  it.each<[string, unknown, string]>([
    [
      'a name in no folder of PATH',
      notFound('prog'),
      'execve: handle: prog: executable file not found in $PATH',
    ],
    [
      'a name without PATH',
      notFound('prog', { noPath: true }),
      'execve: handle: prog: no PATH environment variable provided for look up',
    ],
    [
      'a script without its interpreter',
      notFound('prog', { found: '/w/prog' }),
      'start: prog: execve: no such file or directory',
    ],
    [
      'exec itself',
      new SandboxError({ code: 'SBX_SANDBOX_SETUP', message: 'x', stage: 'exec', errno: 13 }),
      'start: prog: execve: permission denied',
    ],
    [
      'arguments that are too long',
      new InvalidOptionsError({ field: 'args', rule: 'size', expected: 'less' }),
      'start: prog: execve: argument list too long',
    ],
    [
      'CPUs that are not there',
      new PermissionError({ layer: 'cgroup', message: 'refused', hint: 'x' }),
      'execve: cgroup: failed to set cpuset limit: write cpuset.cpus: invalid argument',
    ],
  ])('%s', async (_, error, message) => {
    expect(await messageOf(error)).toBe(message);
  });

  it('a path that is not there, as this version or the other says it', async () => {
    const plan = planOf('./prog');
    const text = 'start: ./prog: execve: no such file or directory';
    expect(await messageOf(notFound('./prog'), plan)).toBe(text);
    expect(await messageOf(notFound('./prog'), plan, scopeOf({ clone3: true }))).toBe(`execve: ${text}`);
  });

  it('a mistake of ours is thrown', async () => {
    await expect(mapError(scopeOf(), planOf('prog'), new TypeError('oops'))).rejects.toThrow('oops');
  });
});

describe('what fails the request', () => {
  it('is the client’s cancel, and too much work', () => {
    const cancelled = scopeOf({ signal: AbortSignal.abort() });
    expect(() => throwForRequest(cancelled, new Error('x'))).toThrow(CancelledBefore);
    const aborted = new SbxError({ code: 'SBX_ABORTED', message: 'before its start' });
    expect(() => throwForRequest(cancelled, aborted)).toThrow(CancelledBefore);
    expect(throwForRequest(cancelled, notFound('prog'))).toBeUndefined();
    const busy = new OverloadedError({ message: 'busy', retryAfterMs: 70 });
    expect(() => throwForRequest(scopeOf(), busy)).toThrow(
      expect.objectContaining({ message: 'worker queue is full', retryAfterMs: 70 }),
    );
    expect(throwForRequest(scopeOf(), new Error('x'))).toBeUndefined();
  });

  it.each([
    [13, 'out', 'container: out: open out: permission denied'],
    [18, 'out', 'container: out: open out: read-only file system'],
  ])('is a collector’s file that cannot be made (errno %i)', async (errno, path, message) => {
    const error = new FileAccessError({ operation: 'write', path, errno });
    const failed = mapError(scopeOf(), planOf('prog', {}, [collector]), error);
    await expect(failed).rejects.toThrow(RunFailure);
    await expect(failed).rejects.toThrow(message);
  });

  it('is not a full disk, which is copyIn’s', async () => {
    const error = new FileAccessError({ operation: 'write', path: 'out', errno: 28 });
    const plan = planOf('prog', { copyIn: [['out', { kind: 'content', text: 'x' }]] }, [collector]);
    expect(await mapError(scopeOf(), plan, error)).toMatchObject({
      status: 'File Error',
      error: 'write out: no space left on device',
    });
  });
});

it('a program that was not even tried has the failure of its plan', async () => {
  const failed = notStarted('File Error', 'copy');
  expect(await mapUntried(scopeOf(), { ...planOf('a'), failure: failed })).toBe(failed);
  const failure = new StartFailure('execve: no');
  expect(await mapUntried(scopeOf(), { ...planOf('a'), failure })).toMatchObject({
    status: 'Internal Error',
    error: 'execve: no',
  });
});
