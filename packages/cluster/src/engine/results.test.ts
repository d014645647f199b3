import { readdirSync } from 'node:fs';
import type { RunnerOptions } from '@sbx/core';
import { expect, test } from 'vitest';
import { errorFrom } from '../wire/error.js';
import { OUTCOME, type WireResult } from '../wire/outcome.js';
import { checkOutcome } from './result-bounds.js';
import { resultFrom } from './results.js';

const BOUND = 1000;
const SHA = 'a'.repeat(64);
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
  const get = () => Promise.reject(new Error('not there'));
  const source = { bytes: Buffer.alloc(10), store: { get, put: async () => undefined } };
  const before = readdirSync('/proc/self/fd').length;
  const result = wire({ stdout: at(10), files: [['a', stored(1)]] });
  await expect(resultFrom(result, source, options)).rejects.toThrow('not there');
  expect(readdirSync('/proc/self/fd').length).toBe(before);
});

test('a file goes into JSON as its sizes, as one of this machine does', async () => {
  const store = { get: () => Promise.reject(new Error('not there')), put: async () => undefined };
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
