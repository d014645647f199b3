/**
 * File names and formats of the two versions of cgroups: one table per version. Everything else in this
 * folder and in the native code is the same for both.
 */
import type { CounterName } from '../native/tables.js';

export interface CounterFile {
  controller: string;
  file: string;
  /** Opened for writing too. */
  write?: boolean;
  /** Of the folder that processes live in: groups of programs below the same group are left out. */
  ofProcesses?: boolean;
}

export interface Layout {
  version: 'v1' | 'v2';
  /** Controllers that every sandbox needs to be accounted and limited. */
  controllers: readonly string[];
  /** Where the machine has them, every sandbox's group is in these too. */
  optional: readonly string[];
  counters: Readonly<Partial<Record<CounterName, CounterFile>>>;
  /** File of `cpuset`: CPUs that processes there may use. */
  effectiveCpus: string;
  /** Written to a group without processes: the kernel takes back all that it can. */
  reclaim: { file: string; text: string };
  /** No limit, as these files say it. */
  unlimited: { memory: string; tasks: string };
  cpuRate: { write: (rate: number | null) => [file: string, text: string][] };
  /** Share beside the engine's other groups: 1 to 10 000, 100 being the ordinary one. */
  cpuWeight: { write: (weight: number) => [file: string, text: string] };
}

const PERIOD_US = 100_000;
/** v1 calls an ordinary weight 1024. */
const SHARES_PER_WEIGHT = 10.24;

export const V1: Layout = {
  version: 'v1',
  controllers: ['memory', 'pids', 'cpuacct'],
  // Outside a group of `cpu` every session of a program is scheduled as much as the whole host's (autogroup):
  // one that makes sessions for ever would starve the host. Not `cpuset`: a group of it must be filled before
  // anything can join, and few ask for one.
  optional: ['cpu'],
  counters: {
    cpu: { controller: 'cpuacct', file: 'cpuacct.usage' },
    memoryPeak: { controller: 'memory', file: 'memory.max_usage_in_bytes', write: true },
    memoryNow: { controller: 'memory', file: 'memory.usage_in_bytes' },
    memoryStat: { controller: 'memory', file: 'memory.stat' },
    memoryEvents: { controller: 'memory', file: 'memory.oom_control' },
    // oomNotice is an eventfd, registered in cgroup.event_control.
    taskPeak: { controller: 'pids', file: 'pids.peak' },
    memoryLimit: { controller: 'memory', file: 'memory.limit_in_bytes', write: true },
    swapLimit: { controller: 'memory', file: 'memory.memsw.limit_in_bytes', write: true },
    socketLimit: { controller: 'memory', file: 'memory.kmem.tcp.limit_in_bytes', write: true },
    taskLimit: { controller: 'pids', file: 'pids.max', write: true },
    procs: { controller: 'pids', file: 'cgroup.procs' },
  },
  effectiveCpus: 'cpuset.effective_cpus',
  reclaim: { file: 'memory.force_empty', text: '0' },
  unlimited: { memory: '-1', tasks: 'max' },
  cpuRate: {
    write: (rate) => [
      ['cpu.cfs_period_us', String(PERIOD_US)],
      ['cpu.cfs_quota_us', rate === null ? '-1' : String(Math.round(rate * PERIOD_US))],
    ],
  },
  cpuWeight: { write: (weight) => ['cpu.shares', String(Math.round(weight * SHARES_PER_WEIGHT))] },
};

export const V2: Layout = {
  version: 'v2',
  controllers: ['memory', 'pids'],
  optional: ['cpu', 'cpuset'],
  counters: {
    cpu: { controller: '', file: 'cpu.stat' },
    memoryPeak: { controller: 'memory', file: 'memory.peak', write: true },
    memoryNow: { controller: 'memory', file: 'memory.current' },
    memoryStat: { controller: 'memory', file: 'memory.stat' },
    memoryEvents: { controller: 'memory', file: 'memory.events', ofProcesses: true },
    // Of the whole group, whose limit it is: the kernel tells it of what happens below, too.
    oomNotice: { controller: 'memory', file: 'memory.events' },
    taskPeak: { controller: 'pids', file: 'pids.peak' },
    memoryLimit: { controller: 'memory', file: 'memory.max', write: true },
    swapLimit: { controller: 'memory', file: 'memory.swap.max', write: true },
    taskLimit: { controller: 'pids', file: 'pids.max', write: true },
    procs: { controller: '', file: 'cgroup.procs', ofProcesses: true },
  },
  effectiveCpus: 'cpuset.cpus.effective',
  reclaim: { file: 'memory.high', text: '0' }, // memory.reclaim is younger
  unlimited: { memory: 'max', tasks: 'max' },
  cpuRate: {
    write: (rate) => [['cpu.max', `${rate === null ? 'max' : Math.round(rate * PERIOD_US)} ${PERIOD_US}`]],
  },
  cpuWeight: { write: (weight) => ['cpu.weight', String(weight)] },
};

/** The kernel has no more process numbers, and refuses a bound above. */
const TASKS_MAX = 4_194_304;

/** A write to a counter file, done by init just before a program starts. */
export type LimitWrite = [counter: CounterName, text: string];

/**
 * The writes that bound a group. v1 refuses a memory limit above the memory+swap limit and the reverse, so
 * the outer one is lifted first and set last; that leaves no swap. v2 bounds swap by itself. Without a limit
 * of their own v1 counts no buffers of TCP and UDP at all: they get as much again.
 */
export function limitWrites(layout: Layout, memoryBytes: number | null, tasks: number | null): LimitWrite[] {
  const memory = memoryBytes === null ? layout.unlimited.memory : String(memoryBytes);
  const isBound = tasks !== null && tasks <= TASKS_MAX;
  const taskWrite: LimitWrite = ['taskLimit', isBound ? String(tasks) : layout.unlimited.tasks];
  if (layout.version === 'v2') {
    return [['memoryLimit', memory], ['swapLimit', memoryBytes === null ? 'max' : '0'], taskWrite];
  }
  return [
    ['swapLimit', '-1'],
    ['memoryLimit', memory],
    ['swapLimit', memory],
    ['socketLimit', memory],
    taskWrite,
  ];
}
