/** Fields of what crosses the boundary, sent and received by position. Made from native/protocol/*.def by `node native/build.mjs`: edit the tables there. */
import { next, nextAll, nextFigure, put, putAll, UNKNOWN } from './row.js';
import { CAUSES, type Cause, STAGES, type Stage } from './tables.js';

export interface MountFlags {
  writable?: boolean;
  noExec?: boolean;
  recursive?: boolean;
  isFile?: boolean;
}

export interface TemplateFields {
  rootless: boolean;
  /** User and group of programs inside. */
  insideUid: number;
  /** Of programs. */
  umask: number;
  ignoreSignalsToInit: boolean;
  /** Bit n is `ALLOWABLE_SYSCALLS[n]`; as an ordinary user never `ptrace`. */
  allowedCalls: number;
  /** When programs start; bit n − 1 is signal n. */
  ignoredSignals: number;
  /** Version of Landlock that the kernel has, when programs are to be in a domain; else 0. */
  landlockAbi: number;
  /** RLIMIT_CORE of all processes, in bytes; see `coreLimit` in engine/kernel.ts. */
  coreLimit: number;
  /** Each sandbox has a cookie of its own. */
  coreScheduling: boolean;
  /** An index of `PROC_MODES`. */
  proc: number;
  hostname: string;
  domainname: string;
  workDir: string;
  /** Folder of the engine's cgroups, which the zygote removes beneath each parent at the end. */
  cgroupName: string;
}

export interface PrepareFlags {
  loopback: boolean;
  /** The filter with the longer list of refusals, and the list of what is let through. */
  strict: boolean;
  /** A refused call ends the program. */
  seccompKill: boolean;
  /** Mount /dev/pts. */
  terminal: boolean;
  /** Make a file for an input ahead: the program before had one. */
  spareInput: boolean;
  /** Stay on the CPU of the keeper: each of the others has a program, one of which has just been started. */
  oneCpu: boolean;
}

export function prepareBits(flags: Partial<PrepareFlags>): number {
  return (
    (flags.loopback ? 1 : 0) |
    (flags.strict ? 2 : 0) |
    (flags.seccompKill ? 4 : 0) |
    (flags.terminal ? 8 : 0) |
    (flags.spareInput ? 16 : 0) |
    (flags.oneCpu ? 32 : 0)
  );
}

export interface StartFlags {
  /** The sandbox ends with this program. */
  oneShot: boolean;
  /** Report that the program runs, once exec has succeeded. */
  notify: boolean;
  /** 0, 1 and 2 are a new terminal, whose other end comes beside the report of the start. */
  terminal: boolean;
  /** The program has cgroups of its own: the joins and counters of this message. */
  ownGroup: boolean;
  /** The first of `paths` that is executable and no folder is the program, and its argv[0]. */
  findFirst: boolean;
  /** Started ahead of its request: an activation follows before its end can be told. */
  ahead: boolean;
  /** Calls outside of the family end the program. */
  callsKill: boolean;
}

export function startBits(flags: Partial<StartFlags>): number {
  return (
    (flags.oneShot ? 1 : 0) |
    (flags.notify ? 2 : 0) |
    (flags.terminal ? 4 : 0) |
    (flags.ownGroup ? 8 : 0) |
    (flags.findFirst ? 16 : 0) |
    (flags.ahead ? 32 : 0) |
    (flags.callsKill ? 64 : 0)
  );
}

export interface NewSlotNumbers {
  slotId: number;
  /** First host id of the slot: init's, the next one is the program's; unused when rootless. */
  uidBase: number;
}

export function putNewSlot(message: NewSlotNumbers): void {
  put(message.slotId);
  put(message.uidBase);
}

export interface GroupsNumbers {
  /** Which counters are beside the message: bit n is `COUNTERS[n]`, the lowest first. */
  counterMask: number;
  /** The counter `oomNotice` is an eventfd. */
  oomEventfd: boolean;
}

export function putGroups(message: GroupsNumbers): void {
  put(message.counterMask);
  put(message.oomEventfd ? 1 : 0);
}

export interface PrepareNumbers {
  /** 0: no limit. */
  diskBytes: number;
  /** 0: no limit. */
  diskFileCount: number;
}

export function putPrepare(message: PrepareNumbers): void {
  put(message.diskBytes);
  put(message.diskFileCount);
}

export interface StartNumbers {
  programId: number;
  /** 0: none. */
  cpuLimitNs: number;
  /** 0: none. */
  wallLimitNs: number;
  /** 0: none. The cgroup enforces it; init looks for page cache when it is near. */
  memoryLimitBytes: number;
  /** In a strict sandbox an index of `SYSCALL_FAMILIES` and one more; else 0. */
  family: number;
  /** CPUs that the program can use at once: bounds how fast the CPU limit can come near. */
  cpuCount: number;
  /** Number of the group in which it and others wait for each other in turn; 0: none. */
  turns: number;
  /** Size of the terminal. */
  cols: number;
  /** Size of the terminal. */
  rows: number;
  /** As of the slot's cgroups. */
  counterMask: number;
  /** As of the slot's cgroups. */
  oomEventfd: boolean;
}

export function putStart(message: StartNumbers): void {
  put(message.programId);
  put(message.cpuLimitNs);
  put(message.wallLimitNs);
  put(message.memoryLimitBytes);
  put(message.family);
  put(message.cpuCount);
  put(message.turns);
  put(message.cols);
  put(message.rows);
  put(message.counterMask);
  put(message.oomEventfd ? 1 : 0);
}

export interface ActivateNumbers {
  programId: number;
  /** As in the start. */
  cpuCount: number;
  cpuLimitNs: number;
  wallLimitNs: number;
  memoryLimitBytes: number;
  /** The group's CPU time at the activation, nanoseconds; unknown: nothing counts, init looks itself. */
  cpuBaseNs: number | null;
}

export function putActivate(message: ActivateNumbers): void {
  put(message.programId);
  put(message.cpuCount);
  put(message.cpuLimitNs);
  put(message.wallLimitNs);
  put(message.memoryLimitBytes);
  put(message.cpuBaseNs ?? UNKNOWN);
}

export interface SignalNumbers {
  programId: number;
  signal: number;
  /** All of its processes, not only the main one. */
  everything: boolean;
  /** Recorded as why it ended, if it was the first. */
  cause: Cause;
}

export function putSignal(message: SignalNumbers): void {
  put(message.programId);
  put(message.signal);
  put(message.everything ? 1 : 0);
  put(CAUSES.indexOf(message.cause));
}

export interface MakeSocketNumbers {
  requestId: number;
  /** Of IPv6; else of IPv4. */
  ipv6: boolean;
}

export function putMakeSocket(message: MakeSocketNumbers): void {
  put(message.requestId);
  put(message.ipv6 ? 1 : 0);
}

export interface StartLists {
  /** Triples: target, flags (`FD_NULL` and so on), with `FD_OUTPUT` and `FD_CONTENT` which of them. */
  fdRows: readonly number[];
  /** Files that init makes for the program to write. Triples: the tree, its mode, 1 when a descriptor is wanted. */
  outputRows: readonly number[];
  /** Triples: resource, soft, hard; -1 is unlimited. */
  rlimits: readonly number[];
  /** Limits of the group: indices of `COUNTERS`, their texts in `writeTexts`. */
  writeCounters: readonly number[];
  /** One per row of `fdRows` that is nothing of init's. */
  fds: readonly number[];
  /** cgroup.procs files to enter. */
  joins: readonly number[];
  /** One descriptor per set bit of `counterMask`, lowest first. */
  counters: readonly number[];
  /** Where the program may be, tried one after another. */
  paths: readonly string[];
  args: readonly string[];
  env: readonly string[];
}

export function putStartLists(message: StartLists): void {
  putAll(message.fdRows);
  putAll(message.outputRows);
  putAll(message.rlimits);
  putAll(message.writeCounters);
  putAll(message.fds);
  putAll(message.joins);
  putAll(message.counters);
  put(message.paths.length);
  put(message.args.length);
  put(message.env.length);
}

export interface ReadyReport {
  kind: 'ready';
  /** Of an init: memory that is charged to its group, with what earlier sandboxes left there. */
  heldBytes: number | null;
  fds: number[];
}

export function readReady(): ReadyReport {
  return {
    kind: 'ready',
    heldBytes: nextFigure(),
    fds: nextAll(),
  };
}

export interface FailedReport {
  kind: 'failed';
  programId: number;
  stage: Stage;
  /** Which row, descriptor or limit. */
  index: number;
  errorNumber: number;
}

export function readFailed(): FailedReport {
  return {
    kind: 'failed',
    programId: next(),
    stage: STAGES[next()]?.[0] ?? 'none',
    index: next(),
    errorNumber: next(),
  };
}

export interface StartedReport {
  kind: 'started';
  programId: number;
  /** Inside. */
  pid: number;
  fds: number[];
}

export function readStarted(): StartedReport {
  return {
    kind: 'started',
    programId: next(),
    pid: next(),
    fds: nextAll(),
  };
}

export interface EndedReport {
  kind: 'ended';
  programId: number;
  /** As wait(2) gives it. */
  waitStatus: number;
  /** The first step of the supervisor against it. */
  cause: Cause;
  /** Files that init made for the program to write. */
  outputCount: number;
  cpuNs: number | null;
  wallNs: number;
  /** Since the start, without what was there before. */
  memoryPeakBytes: number | null;
  /** Caches that are still charged at the end. */
  fileCacheBytes: number | null;
  oomKillCount: number;
  /** High-water mark of the group, helpers included. */
  taskPeak: number | null;
  /** The same before the start: when both are equal, the program reached no more. */
  taskPeakBefore: number | null;
  /** Of the main process, for when there is nothing better. */
  maxRssBytes: number;
  /** By the rows of the start, which had some: all that the file holds, `null` for nothing, or a descriptor to read it from. */
  outputs: (Uint8Array | number | null)[] | undefined;
}

export function readEnded(): EndedReport {
  return {
    kind: 'ended',
    programId: next(),
    waitStatus: next(),
    cause: CAUSES[next()] ?? 'none',
    outputCount: next(),
    cpuNs: nextFigure(),
    wallNs: next(),
    memoryPeakBytes: nextFigure(),
    fileCacheBytes: nextFigure(),
    oomKillCount: next(),
    taskPeak: nextFigure(),
    taskPeakBefore: nextFigure(),
    maxRssBytes: next(),
    outputs: undefined,
  };
}

export interface SocketReport {
  kind: 'socket';
  requestId: number;
  /** Why there is none; 0: there is. */
  errorNumber: number;
  fds: number[];
}

export function readSocket(): SocketReport {
  return {
    kind: 'socket',
    requestId: next(),
    errorNumber: next(),
    fds: nextAll(),
  };
}
