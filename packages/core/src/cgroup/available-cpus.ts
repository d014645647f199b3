/** How many programs can work at once: a container may pay for less than the CPUs that it shows. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { detectCgroups, type Hierarchy } from './detect.js';

type Read = (path: string) => string;

/**
 * CPUs that programs may keep busy at once: those that this process may use, and no more than the CPU quota
 * around it pays for (Docker's `--cpus`, `limits.cpu` of Kubernetes, `CPUQuota=` of systemd), rounded down;
 * at least 1. Where more programs work than that, the kernel stops all of them for a part of each 100 ms,
 * which counts towards their wall time. It is the default of `parallelism`.
 */
export function availableCpus(): number {
  return Math.max(1, Math.min(availableParallelism(), Math.floor(cpuQuota())));
}

/** In CPUs, 1.5 being one and a half; `Infinity`: no quota, or none that shows here. */
export function cpuQuota(detect = detectCgroups, read: Read = readText): number {
  try {
    const { v1, v2 } = detect();
    const ofV1 = v1.find(({ controllers }) => controllers.includes('cpu'));
    const [hierarchy, quotaOf] = ofV1 === undefined ? [v2, quotaOfV2] : [ofV1, quotaOfV1];
    return Math.min(...foldersFrom(hierarchy).map((folder) => quotaOf(folder, read)));
  } catch {
    return Number.POSITIVE_INFINITY; // no /proc
  }
}

/** Ours, and those around it: what bounds one bounds all below it. */
function foldersFrom(hierarchy: Hierarchy | null): string[] {
  if (hierarchy === null) return [];
  const { folder, point } = hierarchy;
  return folder.length > point.length
    ? [folder, ...foldersFrom({ ...hierarchy, folder: dirname(folder) })]
    : [folder];
}

/** `200000 100000`, or `max 100000`. */
function quotaOfV2(folder: string, read: Read): number {
  const [quota, period] = read(join(folder, 'cpu.max')).split(' ');
  return ratioOf(quota, period);
}

/** -1 is none. */
function quotaOfV1(folder: string, read: Read): number {
  return ratioOf(read(join(folder, 'cpu.cfs_quota_us')), read(join(folder, 'cpu.cfs_period_us')));
}

/** What cannot be read bounds nothing: the root has no such file. */
function ratioOf(quotaUs = '', periodUs = ''): number {
  const ratio = Number.parseInt(quotaUs, 10) / Number.parseInt(periodUs, 10);
  return ratio > 0 ? ratio : Number.POSITIVE_INFINITY;
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
