/** What the addon has. Its functions return negative error numbers; what that means is said by their callers. */

import type { EndedMessage } from './native-messages.js';

/** A row of the mount table as the helper takes it; `target` relative to the new root. */
export interface TemplateRow {
  kind: 'bind' | 'dir' | 'file' | 'symlink' | 'tmpfs' | 'mask';
  source: string;
  target: string;
  mode?: number;
  writable?: boolean;
  noExec?: boolean;
  recursive?: boolean;
  isFile?: boolean;
  sizeBytes?: number;
  inodeCount?: number;
}

/** The world that every program of an engine finds itself in. */
export interface TemplateMessage {
  rootless: boolean;
  insideUid: number;
  umask: number;
  ignoreSignalsToInit: boolean;
  /** Bit n is `ALLOWABLE_SYSCALLS[n]`. */
  allowedCalls: number;
  /** Bit n − 1 is signal n. */
  ignoredSignals: number;
  /** 0: no Landlock domain. */
  landlockAbi: number;
  /** Of core dumps, in bytes; see `coreLimit` in engine/kernel.ts. */
  coreLimit: number;
  coreScheduling: boolean;
  /** An index of `PROC_MODES`. */
  proc: number;
  hostname: string;
  domainname: string;
  workDir: string;
  /** Folder of the engine's cgroups and the open folders it is in; removed by the zygote when the host is gone. */
  cgroupName: string;
  cgroupParents: number[];
  mounts: TemplateRow[];
  /** Pairs: code and jumps, operand. */
  policy: number[];
}

/** Cgroup files handed to the helper: one descriptor per set bit of the mask, lowest first. */
export interface CounterFds {
  counterMask: number;
  counters: number[];
  oomEventfd: boolean;
}

/** What is fixed when a sandbox is made. 0 means no limit. */
export interface PrepareMessage {
  loopback: boolean;
  strict: boolean;
  seccompKill: boolean;
  terminal: boolean;
  diskBytes: number;
  diskFileCount: number;
}

export interface StartMessage extends Partial<CounterFds> {
  oneShot: boolean;
  notify: boolean;
  terminal: boolean;
  ownGroup: boolean;
  /** The first of `paths` that is executable and no folder is the program, and its argv[0]. */
  findFirst: boolean;
  /** Number of the group in which it and others wait for each other in turn; 0: none. */
  turns: number;
  /** Started ahead of its request: a hand-over follows. */
  ahead: boolean;
  /** Calls that are not of the family kill. */
  callsKill: boolean;
  /** In a strict sandbox an index of `SYSCALL_FAMILIES` and one more; else 0. */
  family: number;
  programId: number;
  /** 0: none. */
  cpuLimitNs: number;
  wallLimitNs: number;
  memoryLimitBytes: number;
  cpuCount: number;
  cols?: number;
  rows?: number;
  /** Into the terminal, before the program is there; no more than it has room for. */
  typed?: Uint8Array;
  /** Triples: target, flags (`FD_NULL` and so on), with `FD_OUTPUT` and `FD_CONTENT` which of them. */
  fdRows: number[];
  /** One per row that is nothing of init's. */
  fds: number[];
  /** What files hold that init makes for the program to read. */
  contents: Uint8Array[];
  /** Files that it makes for the program to write. Triples: number of the tree, mode, 1 when a descriptor is wanted; and their paths beneath the tree. */
  outputRows: number[];
  outputPaths: string[];
  joins: number[];
  /** Triples: resource, soft, hard; -1 is unlimited. */
  rlimits: number[];
  writeCounters: number[];
  writeTexts: string[];
  cwd: string;
  paths: string[];
  args: string[];
  env: readonly string[];
}

/** What begins for a program that has waited; its group has been bounded. */
export interface HandOverMessage
  extends Pick<StartMessage, 'programId' | 'cpuLimitNs' | 'wallLimitNs' | 'memoryLimitBytes' | 'cpuCount'> {
  /** What the group's counter says now; `undefined`: nothing counts. */
  cpuBaseNs: number | undefined;
}

/** Flags of a descriptor row; `native/common/record.h` says what they do. */
export const FD_NULL = 1;
export const FD_HOLD = 2;
export const FD_OUTPUT = 4;
export const FD_CONTENT = 8;

/** The host's end of a socket to zygote, keeper or init. Methods return 0 or a negative error number. */
export interface Channel {
  template(message: TemplateMessage): number;
  newSlot(message: { slotId: number; uidBase: number; channel: number }): number;
  groups(message: CounterFds & { joins: number[]; folder: number }): number;
  /**
   * What `sendPrepare` makes of a `PrepareMessage`. Our end of the channel to the init that is made. `left`: descriptors into the
   * sandbox before, copies of which the keeper closes.
   */
  prepare(flags: number, diskBytes: number, diskFileCount: number, left: readonly number[]): number;
  /** What `sendStart` makes of a `StartMessage`. */
  start(
    numbers: Float64Array,
    count: number,
    text: string,
    contents: readonly Uint8Array[],
    typed: Uint8Array | undefined,
  ): number;
  handOver(message: HandOverMessage): number;
  signal(message: { programId: number; signal: number; everything: boolean; cause: number }): number;
  /** From now on what comes is told; before, in a quiet one, it is not. */
  listen(): number;
  /** The next report of a quiet one goes to `Native.report`, and what outputs hold comes back; `null` when there is none. */
  take(): Uint8Array[] | undefined | null;
  close(): void;
}

/** Takes what a program writes; owns its descriptor. */
export interface NativeReader {
  /** Takes what is there and closes: [bytes kept, bytes in all]; `undefined` when nothing came. */
  finish(): [Uint8Array, number] | undefined;
  pause(): void;
  resume(): void;
  close(): void;
}

/** Feeds a program; owns its descriptor. */
export interface NativeWriter {
  /** 0: taken. 1: `done` will be called with 0 or a negative error number. Negative: refused. */
  write(bytes: Uint8Array, done: (result: number) => void): number;
  close(): void;
}

/** A pipe between two programs that passes through the host, on a thread of the addon. Owns both descriptors. */
export interface NativeRelay {
  /** Every writer is dead: takes what is left and closes. [bytes kept, bytes in all]. */
  finish(): [Uint8Array, number];
  close(): void;
}

export interface RelayOptions {
  /** Where bytes come from, and where they go. */
  source: number;
  sink: number;
  /** Keep so many of the first. */
  keepBytes: number;
  /** When nobody reads any more go on taking what is written, and drop it. */
  drain: boolean;
}

/** Holds programs at the opening of a file; `native/addon/gate.h`. Results are negative error numbers where something failed. */
export interface NativeGate {
  /** Makes an empty file that nobody can open until `open`; returns its id. */
  hold(options: { dir: number; path: string; owner: number }): number;
  /** Writes the content and lets the opening go on. ENOENT: nobody waits (any more). */
  open(options: { id: number; bytes: Uint8Array }): number;
  /** Forgets the file; who waits for it goes on. */
  drop(id: number): void;
  close(): void;
}

export interface ReaderHandlers {
  /** Capture up to so many bytes; without it the stream flows. */
  limitBytes?: number;
  onData?: (chunk: Uint8Array) => void;
  onEnd?: () => void;
  onOverflow?: () => void;
}

/** What the kernel resolves beneath a descriptor; links only with `follow`. */
export interface PlaceBeneath {
  dir: number;
  path: string;
  follow?: boolean;
}

/** `owner`: host id that new files belong to, -1 for our own. */
export interface Native {
  constants: {
    recordVersion: number;
    counters: string[];
    causes: EndedMessage['cause'][];
    stages: string[];
    /** What each is about, as words that go on after "could not". */
    stageTexts: string[];
    planBytesMax: number;
    programFdsMax: number;
    programContentsMax: number;
    programOutputsMax: number;
    programsMax: number;
    mountRowsMax: number;
    treesMax: number;
  };
  /** The report that has come last, while `onReport` is called with what outputs hold; see `native-reports.ts`. */
  report: Float64Array;
  Channel: new (
    fd: number,
    onReport: (contents: Uint8Array[] | undefined) => void,
    quiet: boolean,
  ) => Channel;
  Gate: new (onOpened: (id: number) => void) => NativeGate;
  Reader: new (fd: number, handlers: ReaderHandlers) => NativeReader;
  Writer: new (fd: number) => NativeWriter;
  Relay: new (options: RelayOptions) => NativeRelay;
  spawnHelper(options: { path: string; rootless: boolean }): {
    error: number;
    pid: number;
    channel: number;
    pidfd: number;
  };
  endHelper(pidfd: number): void;
  reapHelper(pidfd: number): boolean;
  signalHelper(pidfd: number, signal: number): number;
  channelPair(): [number, number] | number;
  /** What this kernel has; negative error numbers where it has not. */
  probeKernel(): { landlockAbi: number; coreScheduling: number };
  trimMemory(): boolean;
  holdLoop(): void;
  releaseLoop(): void;
  openBeneath(options: PlaceBeneath & { flags: number; mode?: number; owner?: number }): number;
  makeFolder(options: { dir: number; name: string; mode: number; owner: number }): number;
  makeSymlink(options: { dir: number; name: string; to: string; owner: number }): number;
  renameIn(options: { fromDir: number; from: string; toDir: number; to: string; owner: number }): number;
  /** A second name for a file; of a symbolic link for the link itself. */
  linkIn(options: { fromDir: number; from: string; toDir: number; to: string; owner: number }): number;
  /** A regular file, made or cut, with the folders that lead to it. */
  createFile(options: PlaceBeneath & { mode: number; folderMode: number; owner: number }): number;
  /** Writes and closes it. */
  fillFile(fd: number, bytes: Uint8Array): number;
  /** As `fillFile`, from an open regular file, by the kernel; large ones on another thread. */
  copyFile(from: number, to: number): number | Promise<number>;
  /** EINVAL or EISDIR when not regular. Of one larger than `maxBytes` nothing is read, or with `truncate` the first. */
  readFileBeneath(options: PlaceBeneath & { maxBytes: number; truncate?: boolean }): FileRead | number;
  /** What a link says; 0 for what is none. */
  readLinkBeneath(options: { dir: number; path: string }): string | number;
  /** A file for a program to write to, made or cut; with `collect` a second descriptor to read it from. */
  openOutput(options: {
    dir: number;
    path: string;
    mode?: number;
    owner: number;
    collect: boolean;
  }): number | [number, number];
  /** Closes it; no more than the first `maxBytes`. */
  takeFile(fd: number, maxBytes: number): FileRead | number;
  /** The descriptor is the user's from now on. */
  giveAway(fd: number): number;
  /** The regular file behind a descriptor, for a program to read: at its start, never to be opened for writing. */
  readOnlyFile(fd: number): number | Promise<number>;
  removeTree(options: { dir: number; name: string; owner: number }): Promise<number>;
  /** `mode`: what programs may open it for once more, by /proc. Default 0o666, for a pipe with a program at each end. */
  pipe(mode?: number): [number, number] | number;
  memoryFile(bytes: Uint8Array): number;
  eventFd(): number;
  closeFds(fds: number[]): void;
  duplicateFd(fd: number): number;
  resizeTerminal(options: { fd: number; cols: number; rows: number }): number;
  readCounterFile(fd: number): string | number;
}

/** What was read of a regular file: first bytes, its mode, its size. */
export type FileRead = [bytes: Uint8Array, mode: number, sizeBytes: number];
