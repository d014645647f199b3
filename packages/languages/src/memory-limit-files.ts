/**
 * Node sizes its heap by the memory limit that it finds in cgroup files. A sandbox has none, so Node must be
 * told by a flag; but with any V8 flag Node throws away the compiled code of its own modules (decision 10).
 * These files are the other way.
 */
import type { MountRow } from '@sbx/core';
import type { RunEngine } from './types.js';

const FOLDER = '/sys/fs/cgroup';
/** Where libuv looks: v2, then v1. It takes the lesser of a limit and a soft limit, so both are there. */
const FILES = [
  `${FOLDER}/memory.max`,
  `${FOLDER}/memory.high`,
  `${FOLDER}/memory/memory.limit_in_bytes`,
  `${FOLDER}/memory/memory.soft_limit_in_bytes`,
];
const SIZE_BYTES = 64 * 1024;

/**
 * Rows for `EngineOptions.mounts`, beside core's `DEFAULT_MOUNTS`, with which Node starts some 4 ms sooner
 * (of 25): a folder `/sys/fs/cgroup` of each sandbox's own. Programs on Node find their memory limit there,
 * as in a cgroup of that size, and so collect garbage before they reach it.
 */
export const TOLD_MEMORY_MOUNTS: readonly MountRow[] = Object.freeze([
  Object.freeze({ kind: 'tmpfs', target: FOLDER, sizeBytes: SIZE_BYTES, mode: 0o755 } as const),
]);

/** Whether programs of this engine find their memory limit in files. */
export function showsMemoryLimit(engine: RunEngine): boolean {
  const isOurs = ({ kind, target }: MountRow) => kind === 'tmpfs' && target === FOLDER;
  return engine.info?.().mounts?.some(isOurs) ?? false;
}

/** The files that tell of a limit, by path. */
export function memoryLimitFiles(memoryBytes: number): Record<string, string> {
  return Object.fromEntries(FILES.map((path) => [path, `${memoryBytes}\n`]));
}
