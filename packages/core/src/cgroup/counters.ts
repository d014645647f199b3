/** Counters of a living group, read from its files. */
import { cpuNsOf, lineOf, numberOf } from './counter-text.js';
import type { Group } from './group.js';

export interface GroupCounters {
  cpuNs: number | null;
  /** Page cache left out: it can be taken away at any time. */
  memoryBytes: number | null;
  /** Shared memory and tmpfs left out, which are not cache. */
  fileCacheBytes: number | null;
  /** With page cache: what the peak counts. */
  chargedBytes: number | null;
  memoryPeakBytes: number | null;
  tasks: number | null;
}

const NOTHING: GroupCounters = {
  cpuNs: null,
  memoryBytes: null,
  fileCacheBytes: null,
  chargedBytes: null,
  memoryPeakBytes: null,
  tasks: null,
};

/** `null` for what cannot be read. */
export function readCounters(group: Group | null): GroupCounters {
  if (group === null) return NOTHING;
  return withCache(group, {
    ...readStartCounters(group),
    memoryPeakBytes: numberOf(group.read('memoryPeak')),
    tasks: numberOf(group.read('taskPeak')),
  });
}

/** The counters that a start changes at once; these are read while a request waits. */
export function readStartCounters(group: Group | null): GroupCounters {
  if (group === null) return NOTHING;
  return { ...NOTHING, cpuNs: readCpuNs(group), chargedBytes: numberOf(group.read('memoryNow')) };
}

/** Adds the file cache, which takes as long to read as all others together. */
export function withCache(group: Group, counters: GroupCounters): GroupCounters {
  const { chargedBytes } = counters;
  const fileCacheBytes = fileCache(group);
  const memoryBytes = chargedBytes === null ? null : Math.max(0, chargedBytes - (fileCacheBytes ?? 0));
  return { ...counters, memoryBytes, fileCacheBytes };
}

/** The cheapest counter, and the only one that changes while a process is warm. */
export function readCpuNs(group: Group | null): number | null {
  return group === null ? null : cpuNsOf(group.read('cpu'));
}

function fileCache(group: Group): number | null {
  const stat = group.read('memoryStat');
  const cache = lineOf(stat, 'total_cache') ?? lineOf(stat, 'file');
  const shared = lineOf(stat, 'total_shmem') ?? lineOf(stat, 'shmem') ?? 0;
  return cache === null ? null : Math.max(0, cache - shared);
}
