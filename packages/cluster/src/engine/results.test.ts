import { readdirSync } from 'node:fs';
import {
  FileAccessError,
  InvalidOptionsError,
  OverloadedError,
  ProgramNotFoundError,
  type RunnerOptions,
  SandboxError,
} from '@sbx/core';
import { expect, test } from 'vitest';
import type { JobStore } from '../contents/store.js';
import { errorFrom, wireError } from '../wire/error.js';
import { OUTCOME, type WireResult } from '../wire/outcome.js';
import { checkOutcome } from './result-bounds.js';
import { resultFrom } from './results.js';

const BOUND = 1000;
const SHA = 'a'.repeat(64);
const store: JobStore = {
  read() {
    throw new Error('not there');
  },
  put: async () => undefined,
};
const EMPTY = { blob: { at: [0, 0] as [number, number] }, totalBytes: 0 };

/** As a worker would send it. */
function wire(changed: Partial<WireResult>): WireResult {
  return {
    ...{ status: 'ok', evidence: '', exitCode: 0, exitSignal: null, stdout: EMPTY, stderr: EMPTY },
    usage: { cpuTimeMs: 0, wallTimeMs: 0, memoryPeakBytes: 0, fileCacheBytes: null, processPeakCount: 0 },
    ...{ outputs: [], files: [], fileErrors: [], degraded: [], ...changed },
  };
}

const stored = (sizeBytes: number) => ({ blob: { sha256: SHA, sizeBytes }, mode: 0o644, sizeBytes });
const check = (result: WireResult) => checkOutcome(OUTCOME.parse({ kind: 'run', result }), BOUND);

test('a result of the bound is taken', () => {
  check(wire({ files: [['a', stored(400)]], stdout: { blob: { at: [0, 600] }, totalBytes: 600 } }));
});

test.each<[string, Partial<WireResult>, string]>([
  [
    'one large file under many names',
    { files: [...'abcdefgh'].map((one) => [one, stored(200)]) },
    '1600 bytes',
  ],
  ['the same bytes again and again', { outputs: [3, 4, 5].map((fd) => [fd, at(400)]) }, '1200 bytes'],
  ['a file twice', { files: ['a', 'a'].map((one) => [one, stored(1)]) }, 'names a file twice'],
  ['an output twice', { outputs: [3, 3].map((fd) => [fd, at(1)]) }, 'names an output twice'],
])('%s is refused before anything is fetched', (_what, changed, message) => {
  expect(() => check(wire(changed))).toThrow(message);
});

function at(bytes: number) {
  return { blob: { at: [0, bytes] as [number, number] }, totalBytes: bytes };
}

test('a group counts as a whole, with what was recorded', () => {
  const result = wire({ files: [['a', stored(400)]] });
  const group = {
    kind: 'group' as const,
    results: [result, null, result],
    errors: [],
    recordings: [at(200)],
  };
  expect(() => checkOutcome(group, BOUND)).not.toThrow();
  expect(() => checkOutcome({ ...group, recordings: [at(200), at(1)] }, BOUND)).toThrow('1001 bytes');
});

test('a result whose files are not there leaves no descriptor behind', async () => {
  const options: RunnerOptions = { stdout: { file: 'out', collect: { maxBytes: 10, as: 'fd' } } };
  const source = { bytes: Buffer.alloc(10), store };
  const before = readdirSync('/proc/self/fd').length;
  const result = wire({ stdout: at(10), files: [['a', stored(1)]] });
  await expect(resultFrom(result, source, options)).rejects.toThrow('not there');
  expect(readdirSync('/proc/self/fd').length).toBe(before);
});

const usage = wire({}).usage;

test.each<[string, object]>([
  ['a time below 0', { usage: { ...usage, cpuTimeMs: -1.5 } }],
  ['a time without end', { usage: { ...usage, wallTimeMs: 1e308 } }],
  ['half a byte', { usage: { ...usage, memoryPeakBytes: 0.5 } }],
  ['an exit code below 0', { exitCode: -1 }],
  ['an exit code that is none', { exitCode: 256 }],
  ['half an exit code', { exitCode: 1.5 }],
  ['a signal that is none', { exitSignal: '__proto__' }],
  ['a file below 0', { files: [['a', { ...stored(1), sizeBytes: -1 }]] }],
  ['a mode that is none', { files: [['a', { ...stored(1), mode: 0.5 }]] }],
  ['more than any output', { stdout: { ...EMPTY, totalBytes: 1e308 } }],
])('%s is no result', (_what, changed) => {
  expect(OUTCOME.safeParse({ kind: 'run', result: wire(changed) }).success).toBe(false);
});

test('figures of an engine are a result', () => {
  const figures = { cpuTimeMs: 0.123456, wallTimeMs: 3_600_000.5, memoryPeakBytes: 2 ** 40 };
  const result = wire({
    status: 'signal',
    exitCode: null,
    exitSignal: 'SIGRTMIN+3',
    usage: { ...usage, ...figures },
  });
  expect(OUTCOME.safeParse({ kind: 'run', result }).error).toBeUndefined();
});

test('an error of an engine has all fields at the other end', () => {
  const errors = [
    new InvalidOptionsError({
      field: 'request.programs[1].limits.cpuSet',
      rule: 'range',
      expected: 'is',
      got: '9',
    }),
    new OverloadedError({ message: 'full', retryAfterMs: 20 }),
    new SandboxError({
      code: 'SBX_PROGRAM_NOT_EXECUTABLE',
      message: 'no',
      stage: 'exec',
      errno: 7,
      index: 2,
    }),
    new FileAccessError({ operation: 'read', path: 'a', errno: 'ENOENT' }),
    new ProgramNotFoundError({ file: 'a', tried: ['/bin/a'], existsOnHost: null }),
  ];
  for (const error of errors) {
    const other = errorFrom(JSON.parse(JSON.stringify(wireError(error))));
    expect(other).toBeInstanceOf(error.constructor);
    expect({ ...other }).toEqual({ ...error });
  }
});

test('facts of another kind than those of an error are not believed', () => {
  const of = (code: string, details: object) =>
    errorFrom({ code, message: 'm', retryable: true, details: { ...details } }) as unknown as Record<
      string,
      unknown
    >;
  expect(of('SBX_OVERLOADED', { retryAfterMs: 'a\r\nb' }).retryAfterMs).toBe(1000);
  expect(of('SBX_OVERLOADED', { retryAfterMs: null }).retryAfterMs).toBe(1000);
  expect(of('SBX_OVERLOADED', { name: 'x', toString: 1 })).not.toHaveProperty('toString', 1);
  expect(of('SBX_PROGRAM_NOT_FOUND', { tried: {}, file: 7, existsOnHost: true })).toMatchObject({
    ...{ tried: [], file: '', existsOnHost: true },
  });
  expect(of('SBX_INVALID_OPTIONS', { field: {}, got: [], hint: 'do' })).toMatchObject({
    ...{ field: 'options', got: null, hint: 'do', programIndex: null },
  });
});

test('a file goes into JSON as its sizes, as one of this machine does', async () => {
  const blob = { at: [0, 3] as [number, number] };
  const sent = wire({ files: [['a', { blob, mode: 0o644, sizeBytes: 5 }]] });
  const { files } = await resultFrom(sent, { bytes: Buffer.from('abc'), store }, {});
  expect(files.a?.text()).toBe('abc');
  expect(JSON.stringify(files)).toBe('{"a":{"path":"a","mode":420,"sizeBytes":5,"keptBytes":3}}');
});

test('details that nothing could write again, or too many of them, are left out', () => {
  const error = { code: 'SBX_SANDBOX_FAILED', message: 'm', retryable: true };
  const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  const details = { fact: 1 };
  expect(errorFrom({ ...error, details: { deep } }).details).toEqual({});
  expect(errorFrom({ ...error, details: { long: 'x'.repeat(70_000) } }).details).toEqual({});
  expect(errorFrom({ ...error, details }).details).toEqual(details);
});
