import { expect, it } from 'vitest';
import type { CounterName } from '../native/tables.js';
import { readCounters } from './counters.js';
import type { Group } from './group.js';

/** A group of cgroup v2 whose files hold these texts; `null` for a file that the kernel does not have. */
function groupOf(files: Partial<Record<CounterName, string | null>>): Group {
  const all: Partial<Record<CounterName, string | null>> = {
    cpu: 'usage_usec 5\nuser_usec 4\nsystem_usec 1\n',
    memoryNow: '9000\n',
    memoryPeak: '12000\n',
    memoryStat: 'anon 5000\nfile 4000\nshmem 1000\n',
    taskPeak: '3\n',
    ...files,
  };
  return {
    has: (name: CounterName) => all[name] != null,
    read: (name: CounterName) => all[name] ?? null,
  } as unknown as Group;
}

it('reads what a group counts, its cache apart', () => {
  expect(readCounters(groupOf({}))).toEqual({
    cpuNs: 5000,
    memoryBytes: 6000,
    fileCacheBytes: 3000,
    chargedBytes: 9000,
    memoryPeakBytes: 12000,
    tasks: 3,
  });
});

it('takes what is held now for the peak, where the kernel keeps none', () => {
  const { memoryPeakBytes, tasks } = readCounters(groupOf({ memoryPeak: null, taskPeak: null }));
  expect([memoryPeakBytes, tasks]).toEqual([9000, null]);
});

it('knows nothing without a group', () => {
  expect(Object.values(readCounters(null)).every((value) => value === null)).toBe(true);
});
