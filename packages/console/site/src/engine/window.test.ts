import { LATENCY_BOUNDS_MS } from '@sbx/console/wire';
import { expect, test } from 'vitest';
import { endedWithin, latenciesWithin, ratesOf } from './window.js';

const counts = (...pairs: [number, number][]) => {
  const all = new Array(LATENCY_BOUNDS_MS.length + 1).fill(0);
  for (const [at, count] of pairs) all[at] = count;
  return all as number[];
};
const protocol = (endedByStatus: Record<string, number>, latencyCounts = counts()) => ({
  active: 0,
  waiting: 0,
  endedByStatus,
  latencyCounts,
});

test('what ended before the window is not counted', () => {
  const first = protocol({ Accepted: 5, 'Time Limit Exceeded': 1 }, counts([0, 6]));
  const last = protocol(
    { Accepted: 7, 'Time Limit Exceeded': 1, Signalled: 3 },
    counts([0, 6], [2, 4], [14, 1]),
  );
  expect(endedWithin(first, last)).toEqual([
    ['Signalled', 3],
    ['Accepted', 2],
  ]);
  const latencies = latenciesWithin(first, last);
  expect(latencies[0]).toEqual(['≤ 5 ms', 4]);
  expect(latencies.at(-1)).toEqual(['> 30000 ms', 1]);
  expect(latenciesWithin(last, last)).toEqual([]);
});

test('rates are per second, whatever the interval was', () => {
  const at = (atMs: number, startedTotal: number, cpuTimeMs: number | null) =>
    ({ atMs, engine: { startedTotal }, usage: { cpuTimeMs } }) as never;
  expect(ratesOf(at(1000, 10, 100), at(3000, 30, 1100))).toEqual({ startedPerSecond: 10, cpus: 0.5 });
  expect(ratesOf(at(1000, 10, null), at(2000, 10, null))).toEqual({ startedPerSecond: 0, cpus: null });
  expect(ratesOf(undefined, at(2000, 10, 5))).toEqual({ startedPerSecond: 0, cpus: null });
});
