/** Readings of a living group, straight from its counter files. */
import { cpuNsOf, lineOf, numberOf } from '../cgroup/counter-text.js';
import type { Group } from '../cgroup/group.js';

export interface Figures {
  cpuNs: number | null;
  memoryBytes: number | null;
  /** With page cache: what the peak counts. */
  chargedBytes: number | null;
  memoryPeakBytes: number | null;
  tasks: number | null;
}

/** `null` for what cannot be read. */
export function readFigures(group: Group | null): Figures {
  if (group === null)
    return { cpuNs: null, memoryBytes: null, chargedBytes: null, memoryPeakBytes: null, tasks: null };
  return {
    cpuNs: cpuNsOf(group.read('cpu')),
    memoryBytes: memoryNow(group),
    chargedBytes: numberOf(group.read('memoryNow')),
    memoryPeakBytes: numberOf(group.read('memoryPeak')),
    tasks: numberOf(group.read('taskPeak')),
  };
}

/** What is held, page cache left out: it can be taken away at any time. Shared memory and tmpfs are not cache. */
function memoryNow(group: Group): number | null {
  const charged = numberOf(group.read('memoryNow'));
  if (charged === null) return null;
  const stat = group.read('memoryStat');
  const cache = lineOf(stat, 'total_cache') ?? lineOf(stat, 'file') ?? 0;
  const shared = lineOf(stat, 'total_shmem') ?? lineOf(stat, 'shmem') ?? 0;
  return Math.max(0, charged - Math.max(0, cache - shared));
}
