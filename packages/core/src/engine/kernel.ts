/** Facts that follow from the kernel's version and settings. */
import { readFileSync } from 'node:fs';
import { cpus, release } from 'node:os';
import type { CgroupTree } from '../cgroup/tree.js';
import { UnsupportedError } from '../errors.js';
import { parseCpuSet } from '../options/cpu-set.js';

/** mount_setattr, by which mounts get their flags before anybody can see them, came with 5.12. */
export function checkKernel(): void {
  if (isAtLeast(5, 12)) return;
  throw new UnsupportedError({
    code: 'SBX_UNSUPPORTED_PLATFORM',
    message: `Linux ${release()} is too old.`,
    hint: 'Linux 5.12 or newer is needed.',
  });
}

/**
 * Since 5.14 RLIMIT_NPROC counts a user's tasks in each user namespace for itself; before, all that the user
 * has anywhere.
 */
export function countsTasksPerNamespace(): boolean {
  return isAtLeast(5, 14);
}

/**
 * RLIMIT_CORE of all programs. A `core_pattern` with a pipe ignores 0 and heeds 1, one with a socket (Linux
 * 6.16) ignores 1; for a file, which is a page at least, both are too little, and 1 stays right when a
 * handler is installed later.
 */
export function coreLimit(pattern = corePattern()): 0 | 1 {
  return pattern.startsWith('@') ? 0 : 1;
}

/**
 * CPUs that a program can be on that has no set of its own: its affinity, which it has from this process, is
 * its own to change, up to what a container has.
 */
export function usableCpus(tree: Pick<CgroupTree, 'hasController' | 'allCpus'> | null): number {
  const ofContainer = () => (tree?.hasController('cpuset') === true ? tree.allCpus() : '');
  const online = () => readFileSync('/sys/devices/system/cpu/online', 'utf8').trim();
  return countOf(ofContainer) ?? countOf(online) ?? Math.max(1, cpus().length);
}

/** `null` where nothing says. */
function countOf(read: () => string): number | null {
  try {
    return parseCpuSet(read()).length;
  } catch {
    return null;
  }
}

function corePattern(): string {
  try {
    return readFileSync('/proc/sys/kernel/core_pattern', 'utf8');
  } catch {
    return ''; // not shown in this container
  }
}

function isAtLeast(major: number, minor: number): boolean {
  const [itsMajor = 0, itsMinor = 0] = release().split('.').map(Number);
  return itsMajor > major || (itsMajor === major && itsMinor >= minor);
}
