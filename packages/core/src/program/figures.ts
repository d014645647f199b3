/** Readings of a living group, straight from its counter files. */
import { cpuNsOf, lineOf, numberOf } from '../cgroup/counter-text.js';
import type { Group } from '../cgroup/group.js';

export interface Figures {
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

const NOTHING: Figures = {
  cpuNs: null,
  memoryBytes: null,
  fileCacheBytes: null,
  chargedBytes: null,
  memoryPeakBytes: null,
  tasks: null,
};

/** `null` for what cannot be read. */
export function readFigures(group: Group | null): Figures {
  if (group === null) return NOTHING;
  return withCache(group, {
    ...readStartFigures(group),
    memoryPeakBytes: numberOf(group.read('memoryPeak')),
    tasks: numberOf(group.read('taskPeak')),
  });
}

/** Of them what a start changes at once; read while somebody waits for it. */
export function readStartFigures(group: Group | null): Figures {
  if (group === null) return NOTHING;
  return { ...NOTHING, cpuNs: readCpuNs(group), chargedBytes: numberOf(group.read('memoryNow')) };
}

/** What takes as long to read as all others together. */
export function withCache(group: Group, figures: Figures): Figures {
  const { chargedBytes } = figures;
  const fileCacheBytes = fileCache(group);
  const memoryBytes = chargedBytes === null ? null : Math.max(0, chargedBytes - (fileCacheBytes ?? 0));
  return { ...figures, memoryBytes, fileCacheBytes };
}

/** The cheapest of them, and the only one that changes by the waiting itself. */
export function readCpuNs(group: Group | null): number | null {
  return group === null ? null : cpuNsOf(group.read('cpu'));
}

function fileCache(group: Group): number | null {
  const stat = group.read('memoryStat');
  const cache = lineOf(stat, 'total_cache') ?? lineOf(stat, 'file');
  const shared = lineOf(stat, 'total_shmem') ?? lineOf(stat, 'shmem') ?? 0;
  return cache === null ? null : Math.max(0, cache - shared);
}
