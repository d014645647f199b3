/**
 * Node sizes its heap by the memory limit that it finds in cgroup files. A sandbox has none, so Node must be told by a flag;
 * but with any V8 flag Node throws away the compiled code of its own modules (decision 10). These rows are the other way.
 */
import type { MountRow } from '@sbx/core';
import type { RunEngine } from './types.js';

/**
 * One figure for all limits up to half of it. V8 takes half of it as bound of its heap and 1/256 as space for new objects: with
 * less, programs that allocate much need up to 1.8 times the CPU time; with more, garbage reaches the sandbox's limit first.
 */
const TOLD_BYTES = 2 * 2 ** 30;

const V2_FILE = '/sys/fs/cgroup/memory.max';
/** Where libuv looks: v2, then v1. It takes the lesser of a limit and a soft limit, so both are there. */
const FILES = [
  V2_FILE,
  '/sys/fs/cgroup/memory.high',
  '/sys/fs/cgroup/memory/memory.limit_in_bytes',
  '/sys/fs/cgroup/memory/memory.soft_limit_in_bytes',
];

/**
 * Rows for `EngineOptions.mounts`, beside core's `DEFAULT_MOUNTS`, with which Node starts some 4 ms sooner (of 25): files in
 * `/sys/fs/cgroup` that tell a memory limit of 2 GiB. Every program of the engine can read them. Programs that keep more than
 * about half of their limit alive while they allocate much are `memory-limit` sooner than with the flag.
 */
export const TOLD_MEMORY_MOUNTS: readonly MountRow[] = Object.freeze(
  FILES.map((target) => Object.freeze({ kind: 'file', target, text: `${TOLD_BYTES}\n`, mode: 0o444 })),
);

/** The memory limit that files inside tell of; `null`: there are none. */
export function toldMemoryOf(engine: RunEngine): number | null {
  const row = engine.info?.().mounts?.find(({ target }) => target === V2_FILE);
  return row?.kind === 'file' ? Number(row.text) : null;
}
