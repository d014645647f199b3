/** A checked request to the parts of a start message that need no descriptor: pure. */

import { posix } from 'node:path';
import type { Group } from '../cgroup/group.js';
import { limitWrites } from '../cgroup/layout.js';
import { InvalidOptionsError } from '../errors.js';
import { COUNTERS } from '../native/tables.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { SlotCgroup } from '../pool/slot-cgroup.js';

/** RLIMIT_… of Linux, the same on x64 and arm64. */
const RLIMIT = {
  cpu: 0,
  fileSize: 1,
  data: 2,
  stack: 3,
  processes: 6,
  openFiles: 7,
  memoryLock: 8,
  addressSpace: 9,
  signals: 11,
  messageQueues: 12,
  nice: 13,
  realTime: 14,
} as const;

const NS_PER_MS = 1e6;
const UNLIMITED = -1;
const MEMORY_LOCK_BYTES = 64 * 1024;
const SIGNALS_PENDING = 1024;
/**
 * Where no cgroup counts the tree, each process is at least bounded by the kernel, a whole second above the
 * limit. Elsewhere it would only do harm: any RLIMIT_CPU makes the process's CPU clock advance in scheduler
 * ticks, for the program itself and for init's look at it (docs/decisions/0009).
 */
const CPU_BACKSTOP_SECONDS = 2;

/**
 * Resource limits as triples. DATA only on request: it kills inside exec without a verdict. NPROC: see
 * `taskRlimit`. CORE: the helper has it from `TemplateMessage.coreLimit`, and no program can set it.
 */
export function rlimitsFor(limits: ResolvedLimits, openFilesMax: number, cpuBackstop: boolean): number[] {
  const { cpuTimeMs } = limits;
  const noCpuLimit = cpuTimeMs === null || !cpuBackstop;
  const cpu = noCpuLimit ? UNLIMITED : Math.ceil(cpuTimeMs / 1000) + CPU_BACKSTOP_SECONDS;
  const both = (resource: number, value: number | null) => [resource, value ?? UNLIMITED, value ?? UNLIMITED];
  return [
    ...both(RLIMIT.cpu, cpu),
    ...both(RLIMIT.fileSize, limits.fileBytes),
    ...both(RLIMIT.stack, limits.stackBytes),
    ...both(RLIMIT.openFiles, limits.openFileCount ?? openFilesMax),
    ...both(RLIMIT.addressSpace, limits.addressSpaceBytes),
    ...both(RLIMIT.memoryLock, MEMORY_LOCK_BYTES),
    ...both(RLIMIT.signals, SIGNALS_PENDING),
    ...both(RLIMIT.messageQueues, 0),
    ...both(RLIMIT.nice, 0),
    ...both(RLIMIT.realTime, 0),
    ...(limits.dataBytes === null ? [] : both(RLIMIT.data, limits.dataBytes)),
  ];
}

/**
 * Tasks that programs of one sandbox may have together where none has a limit of its own: the host needs
 * some, too.
 */
const SHARED_TASKS = 1024;

/**
 * The process limit once more, for the only program of a sandbox, NPROC being counted per user. The kernel
 * refuses a fork by it long before it asks the pids controller, which comes last: a storm of failing forks
 * then leaves half as much half-made processes, which it frees late and charges meanwhile. Without that
 * controller it is the only limit. `otherTasks`: tasks that are counted and not the program's; `null`: it
 * would count those of other sandboxes.
 */
export function taskRlimit(
  { processCount }: ResolvedLimits,
  otherTasks: number | null,
  alone: boolean,
): number[] {
  if (processCount === null || otherTasks === null) return [];
  const tasks = Math.max(processCount, alone ? 0 : SHARED_TASKS) + otherTasks;
  return [RLIMIT.processes, tasks, tasks];
}

/**
 * More open files than the host itself may have needs a right that nobody here has. `max`: what there is for
 * programs of the host's hard limit (engine/open-files.ts), which is also what "no limit" comes to.
 */
export function checkOpenFiles({ openFileCount }: ResolvedLimits, max: number): void {
  if (openFileCount === null || openFileCount <= max) return;
  throw new InvalidOptionsError({
    field: 'options.limits.openFileCount',
    rule: 'ceiling',
    expected: `must be at most ${max}, which this process's own hard limit leaves to programs`,
    got: String(openFileCount),
    hint: 'Raise it for the host (`ulimit -Hn`, LimitNOFILE=).',
  });
}

/** `null` is 0 for the helper, and 0 in the caller's words cannot be: the least legal limit is above it. */
export function nanoseconds(ms: number | null): number {
  return ms === null ? 0 : Math.round(ms * NS_PER_MS);
}

/**
 * CPUs that a program can use at once. A rate bounds none: all of them together may use it up at the
 * beginning of each period. `keepsSet`: its set is enforced, and no other program can replace it.
 */
export function cpusOf({ cpuSet }: ResolvedLimits, usableCpus: number, keepsSet: boolean): number {
  return keepsSet && cpuSet !== null ? Math.min(cpuSet.length, usableCpus) : usableCpus;
}

/** Where exec looks, in order: a path as it is, a name in every folder of PATH. */
export function searchPaths(file: string, path: string | undefined): string[] {
  if (file.includes('/')) return [file];
  return (path ?? '').split(':').map((folder) => (folder === '' ? file : `${folder}/${file}`));
}

/**
 * As `searchPaths`, for names that are looked for in the working folder first; in the spelling that argv[0]
 * gets.
 */
export function searchPathsCwdFirst(file: string, path: string | undefined): string[] {
  if (file.includes('/')) return [file];
  const folders = path === undefined || path === '' ? [] : path.split(':');
  return [file, ...folders.map((folder) => posix.join(folder, file))];
}

/**
 * Counter numbers and texts that bound the group; empty when a slot's has them already. Of memory it may hold
 * `heldBytes` on top of the limit. In one-shot runs that is 0: init adds what the group holds at the start,
 * also when nothing is written (native/helper/bounds.cc).
 */
export function boundGroup(
  cgroup: SlotCgroup,
  group: Group | null,
  limits: ResolvedLimits,
  heldBytes = 0,
): { writeCounters: number[]; writeTexts: string[] } {
  if (group === null) return { writeCounters: [], writeTexts: [] };
  const own = group === cgroup.group;
  const memory = limits.memoryBytes === null ? null : limits.memoryBytes + heldBytes;
  const tasks = limits.processCount === null ? null : limits.processCount + (own ? cgroup.helperTasks : 0);
  const written = cgroup.writtenLimits;
  if (own && written !== null && written.tasks === tasks && written.memoryBytes === memory)
    return { writeCounters: [], writeTexts: [] };
  const writes = limitWrites(group.layout, memory, tasks).filter(([name]) => group.has(name));
  if (own) cgroup.noteLimits({ memoryBytes: memory, tasks });
  return {
    writeCounters: writes.map(([name]) => COUNTERS.indexOf(name)),
    writeTexts: writes.map(([, text]) => text),
  };
}
