import type { RunResult } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import type { JobLimits } from './job.js';
import { nothingCollected } from './program-result.js';
import { decideResult } from './verdict.js';

const MiB = 2 ** 20;
const LIMIT = 64 * MiB;
/** As the engine is given it: beyond the request's own. */
const GROUP = LIMIT + 16 * 1024;

const limits = { cpuNs: 1e9, clockNs: 1e9, explicitClockNs: 0, memoryBytes: LIMIT } as JobLimits;
const collected = nothingCollected();

function memoryOf(
  status: RunResult['status'],
  memoryPeakBytes: number | null,
  fileCacheBytes: number | null,
) {
  const usage = { cpuTimeMs: 1, wallTimeMs: 2, memoryPeakBytes, fileCacheBytes, processPeakCount: 1 };
  const killed = status === 'memory-limit';
  const ended = { status, usage, exitCode: killed ? null : 0, exitSignal: killed ? 'SIGKILL' : null };
  const outcome = decideResult(ended, limits, collected, true);
  return [outcome.status, outcome.memoryBytes];
}

describe('memory', () => {
  test.each([
    ['below the limit', 'ok', [10 * MiB, null], ['Accepted', 10 * MiB]],
    ['at the limit', 'ok', [LIMIT, 0], ['Accepted', LIMIT]],
    [
      'above it and below that of the group',
      'ok',
      [LIMIT + 4096, 4095],
      ['Memory Limit Exceeded', LIMIT + 4096],
    ],
    ['above it by file cache alone', 'ok', [GROUP, 16 * 1024], ['Accepted', LIMIT]],
    ['cache that nobody looked at', 'ok', [GROUP, null], ['Memory Limit Exceeded', GROUP]],
    ['killed for memory, with cache', 'memory-limit', [GROUP, MiB], ['Memory Limit Exceeded', GROUP]],
    ['not measured', 'ok', [null, null], ['Accepted', 0]],
  ] as const)('%s', (_, status, [peak, cache], expected) => {
    expect(memoryOf(status, peak, cache)).toEqual(expected);
  });
});

test.each([
  ['SIGTERM', 15],
  ['SIG32', 32],
  ['SIGRTMIN', 34],
  ['SIGRTMIN+9', 43],
  ['SIGRTMIN+30', 64],
])('%s is Signalled %i', (exitSignal, exitStatus) => {
  const usage = { cpuTimeMs: 1, wallTimeMs: 2, memoryPeakBytes: 1, fileCacheBytes: 0, processPeakCount: 1 };
  const ended = { status: 'signal', usage, exitCode: null, exitSignal } as const;
  expect(decideResult(ended, limits, collected, true)).toMatchObject({ status: 'Signalled', exitStatus });
});

const CUT = {
  ...nothingCollected(),
  failure: { status: 'File Error', error: 'no file', isOpening: false },
} as const;

test.each([
  ['killed itself within its CPU time', 'SIGKILL', 999, 'Signalled'],
  ['killed itself at its CPU time', 'SIGKILL', 1000, 'Time Limit Exceeded'],
  ['went beyond its CPU time', 'SIGTERM', 1001, 'Time Limit Exceeded'],
] as const)('%s', (_, exitSignal, cpuTimeMs, status) => {
  const usage = { cpuTimeMs, wallTimeMs: 2, memoryPeakBytes: 1, fileCacheBytes: 0, processPeakCount: 1 };
  const ended = { status: 'signal', usage, exitCode: null, exitSignal } as const;
  const judged = { ...limits, explicitClockNs: 1e9 };
  expect(decideResult(ended, judged, collected, true).status).toBe(status);
});

test('a file that is missing is the fault of a program that ended well, and of no other', () => {
  const usage = { cpuTimeMs: 1, wallTimeMs: 2, memoryPeakBytes: 1, fileCacheBytes: 0, processPeakCount: 1 };
  const ended = (exitCode: number) => ({ status: 'exit', usage, exitCode, exitSignal: null }) as const;
  const statuses = [0, 1].map((code) => decideResult(ended(code), limits, CUT, true).status);
  expect(statuses).toEqual(['File Error', 'Nonzero Exit Status']);
});
