/** Readings of a living group, straight from its counter files. */
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
    cpuNs: cpuNs(group.read('cpu')),
    memoryBytes: memoryNow(group),
    chargedBytes: number(group.read('memoryNow')),
    memoryPeakBytes: number(group.read('memoryPeak')),
    tasks: number(group.read('taskPeak')),
  };
}

/** v1 says nanoseconds and nothing else, v2 has a line in microseconds. */
function cpuNs(text: string | null): number | null {
  const microseconds = find(text, 'usage_usec');
  return microseconds === null ? number(text) : microseconds * 1000;
}

/** What is held, page cache left out: it can be taken away at any time. Shared memory and tmpfs are not cache. */
function memoryNow(group: Group): number | null {
  const charged = number(group.read('memoryNow'));
  if (charged === null) return null;
  const stat = group.read('memoryStat');
  const cache = find(stat, 'total_cache') ?? find(stat, 'file') ?? 0;
  const shared = find(stat, 'total_shmem') ?? find(stat, 'shmem') ?? 0;
  return Math.max(0, charged - Math.max(0, cache - shared));
}

function number(text: string | null): number | null {
  return text !== null && /^\d/.test(text) ? Number.parseInt(text, 10) : null;
}

function find(text: string | null, key: string): number | null {
  const match = text === null ? null : new RegExp(`^${key} (\\d+)`, 'm').exec(text);
  return match === null ? null : Number(match[1]);
}
