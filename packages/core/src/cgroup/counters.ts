/** Counters of a living group, read from its files in either version. `null` for what is not there. */
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
  const start = readStartCounters(group);
  return withCache(group, {
    ...start,
    // Where the kernel keeps no mark, what is held now: whoever reads keeps the highest.
    memoryPeakBytes: numberOf(group.read('memoryPeak')) ?? start.chargedBytes,
    tasks: numberOf(group.read('taskPeak')),
  });
}

/** The counters that a start changes at once; these are read while a request waits. */
export function readStartCounters(group: Group | null): GroupCounters {
  if (group === null) return NOTHING;
  return { ...NOTHING, cpuNs: readCpuNs(group), chargedBytes: numberOf(group.read('memoryNow')) };
}

/** From what `readCounterFile` gave for CPU time alone: of a program whose memory only init measures. */
export function baselineOf(cpu: string | number): GroupCounters {
  return { ...NOTHING, cpuNs: typeof cpu === 'string' ? cpuNsOf(cpu) : null };
}

/** Adds the file cache, which takes as long to read as all others together. */
export function withCache(group: Group, counters: GroupCounters): GroupCounters {
  const { chargedBytes } = counters;
  const fileCacheBytes = fileCache(group);
  const memoryBytes = chargedBytes === null ? null : Math.max(0, chargedBytes - (fileCacheBytes ?? 0));
  return { ...counters, memoryBytes, fileCacheBytes };
}

/** The cheapest counter, and the only one that changes while a process is warm. */
export function readCpuNs(group: Pick<Group, 'read'> | null): number | null {
  return group === null ? null : cpuNsOf(group.read('cpu'));
}

function fileCache(group: Group): number | null {
  const stat = group.read('memoryStat');
  const cache = lineOf(stat, 'total_cache') ?? lineOf(stat, 'file');
  const shared = lineOf(stat, 'total_shmem') ?? lineOf(stat, 'shmem') ?? 0;
  return cache === null ? null : Math.max(0, cache - shared);
}

/** v1 says nanoseconds and nothing else, v2 has a line in microseconds. */
export function cpuNsOf(text: string | null): number | null {
  const nanoseconds = numberOf(text);
  if (nanoseconds !== null) return nanoseconds;
  const microseconds = lineOf(text, 'usage_usec');
  return microseconds === null ? null : microseconds * 1000;
}

export function numberOf(text: string | null): number | null {
  return text !== null && /^\d/.test(text) ? Number.parseInt(text, 10) : null;
}

/** From a table of `key number` lines. */
export function lineOf(text: string | null, key: string): number | null {
  const match = text === null ? null : new RegExp(`^${key} (\\d+)`, 'm').exec(text);
  return match === null ? null : Number(match[1]);
}
