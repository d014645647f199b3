/** The functions of the addon. They return negative error numbers, which their callers turn into errors. */
import type {
  ActivateNumbers,
  MountFlags,
  PrepareFlags,
  PrepareNumbers,
  StartFlags,
  StartLists,
  StartNumbers,
  TemplateFields,
} from './records.js';
import type { MountKind } from './tables.js';

/** A row of the mount table as the helper takes it; `target` relative to the new root. */
export interface TemplateRow extends MountFlags {
  kind: MountKind;
  source: string;
  target: string;
  mode?: number;
  sizeBytes?: number;
  inodeCount?: number;
}

/** The world that every program of an engine finds itself in. */
export interface TemplateMessage extends TemplateFields {
  /** Open folders in which the engine's cgroup is; the zygote removes it when the host is gone. */
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

/** Hints for the creation of a sandbox: they change how fast it is made, not what it is. */
export type CreationHints = Pick<PrepareFlags, 'spareInput' | 'oneCpu'>;

/** The properties of a sandbox that are fixed when it is made. */
export interface PrepareMessage extends Omit<PrepareFlags, keyof CreationHints>, PrepareNumbers {}

export interface StartMessage extends StartFlags, StartNumbers, StartLists {
  /** Into the terminal, before the program is there; no more than it has room for. */
  typed: Uint8Array | undefined;
  /** Contents of the files that init creates for the program to read. */
  contents: readonly Uint8Array[];
  /** Paths of `outputRows` beneath their trees. */
  outputPaths: readonly string[];
  /** Texts that are written to `writeCounters`. */
  writeTexts: readonly string[];
  cwd: string;
}

/** Activates a warm process: its limits begin. The host has written the bounds of its group. */
export type ActivateMessage = ActivateNumbers;

/** The host's end of a socket to zygote, keeper or init. Methods return 0 or a negative error number. */
export interface Channel {
  template(message: TemplateMessage): number;
  /**
   * `row`, here and in the next: the numbers that native/channel.ts puts together, after how many there are.
   */
  newSlot(row: Float64Array, keeperEnd: number): number;
  groups(row: Float64Array, joins: readonly number[], counters: readonly number[], folder: number): number;
  /** Our end of the channel to the init that is made. */
  prepare(row: Float64Array, left: readonly number[]): number;
  start(
    row: Float64Array,
    text: string,
    contents: readonly Uint8Array[],
    typed: Uint8Array | undefined,
  ): number;
  activate(row: Float64Array): number;
  signal(row: Float64Array): number;
  makeSocket(row: Float64Array): number;
  /** Messages of a quiet channel call `onReport` from now on; before, they wait for `take`. */
  listen(): number;
  /**
   * Polls a quiet channel: the next report goes to `Native.report`, and what outputs hold comes back; `null`
   * when there is none.
   */
  take(): Uint8Array[] | undefined | null;
  close(): void;
}

/** Takes what a program writes; owns its descriptor. */
export interface NativeReader {
  /** Takes what is there and closes: [bytes kept, bytes in all]; `undefined` when nothing came. */
  finish(): [Uint8Array, number] | undefined;
  /** The program is dead: the end follows what is there, even if somebody else holds the other end. */
  endSoon(): void;
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

/**
 * A pipe between two programs that passes through the host, on a thread of the addon. Owns both descriptors.
 */
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

/**
 * The fanotify open gate: holds programs at the opening of a file; `native/addon/gate.h`. Results are
 * negative error numbers where something failed.
 */
export interface NativeGate {
  /** Makes an empty file that nobody can open until `open`; returns its id. */
  hold(options: { dir: number; path: string; owner: number }): number;
  /** Writes the content and lets the opening go on. ENOENT: nobody waits (any more). */
  open(options: { id: number; bytes: Uint8Array }): number;
  /** Forgets the file; a program that waits for it is resumed. */
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

/**
 * A path that the kernel resolves beneath a descriptor; links only with `follow`. With `known` what exists is
 * found without waiting for a lock, in a file system in memory.
 */
export interface PathBeneath {
  dir: number;
  path: string;
  follow?: boolean;
  known?: boolean;
}

export interface OutputBeneath {
  dir: number;
  path: string;
  mode?: number;
  owner: number;
  collect: boolean;
}

/** Its descriptors, or a negative error number. */
export type OpenedOutput = number | [write: number, read: number];

/** With `true` a call on files is made on another thread. */
export interface Later {
  later: boolean;
}

/** `owner`: host id that new files belong to, -1 for our own. */
export interface Native {
  /** Of the tables that the addon was built from: `PROTOCOL_VERSION`. */
  protocolVersion: number;
  /**
   * The report that has come last, while `onReport` is called with what outputs hold; see
   * `native/channel.ts`.
   */
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
  /** Features of this kernel; negative error numbers where they are missing. */
  probeKernel(): { landlockAbi: number; coreScheduling: number };
  trimMemory(): boolean;
  holdLoop(): void;
  releaseLoop(): void;
  openBeneath(
    options: PathBeneath & { flags: number; mode?: number; owner?: number } & Later,
  ): number | Promise<number>;
  openBeneath(options: PathBeneath & { flags: number; mode?: number; owner?: number }): number;
  makeFolder(
    options: { dir: number; name: string; mode: number; owner: number } & Later,
  ): number | Promise<number>;
  makeFolder(options: { dir: number; name: string; mode: number; owner: number }): number;
  makeSymlink(
    options: { dir: number; name: string; to: string; owner: number } & Later,
  ): number | Promise<number>;
  makeSymlink(options: { dir: number; name: string; to: string; owner: number }): number;
  renameIn(
    options: { fromDir: number; from: string; toDir: number; to: string; owner: number } & Later,
  ): number | Promise<number>;
  /** A second name for a file; of a symbolic link for the link itself. */
  linkIn(options: { fromDir: number; from: string; toDir: number; to: string; owner: number }): number;
  /** Of an open file (`name` is empty), or of a name in an open folder, a link itself included. */
  setTimes(options: { fd: number; name: string; seconds: number; nanoseconds: number }): number;
  /**
   * A regular file, made or cut, with the folders that lead to it. With `flags`, those of its opening, one
   * that is there keeps its content and mode.
   */
  createFile(
    options: PathBeneath & { mode: number; folderMode: number; owner: number; flags?: number } & Later,
  ): number | Promise<number>;
  createFile(options: PathBeneath & { mode: number; folderMode: number; owner: number }): number;
  /** Writes and closes it. */
  fillFile(fd: number, bytes: Uint8Array): number;
  /** As `fillFile`, from an open regular file, by the kernel; large ones on another thread. */
  copyFile(from: number, to: number, later: boolean): number | Promise<number>;
  /**
   * From an open regular file, whose offset moves, in the place of all that the other has, which is closed;
   * holes stay holes. Large ones on another thread.
   */
  copyWithin(from: number, to: number, later: boolean): number | Promise<number>;
  /**
   * EINVAL or EISDIR when not regular. Of one larger than `maxBytes` nothing is read, or with `truncate` the
   * first.
   */
  readFileBeneath(options: PathBeneath & { maxBytes: number; truncate?: boolean }): FileRead | number;
  /** The target of a link; 0 for a file that is none. */
  readLinkBeneath(options: { dir: number; path: string } & Later): string | number | Promise<string | number>;
  readLinkBeneath(options: { dir: number; path: string; known: boolean }): string | number;
  /** A file for a program to write to, made or cut; with `collect` a second descriptor to read it from. */
  openOutput(options: OutputBeneath & Later): OpenedOutput | Promise<OpenedOutput>;
  openOutput(options: OutputBeneath): OpenedOutput;
  /** Closes it; no more than the first `maxBytes`. */
  takeFile(fd: number, maxBytes: number): FileRead | number;
  /** The descriptor is the user's from now on. */
  giveAway(fd: number): number;
  /**
   * The regular file behind a descriptor, for a program to read: at its start, never to be opened for
   * writing.
   */
  readOnlyFile(fd: number): number | Promise<number>;
  removeTree(options: { dir: number; name: string; owner: number }): Promise<number>;
  /**
   * `mode`: what programs may open it for once more, by /proc. Default 0o666, for a pipe with a program at
   * each end.
   */
  pipe(mode?: number): [number, number] | number;
  memoryFile(bytes: Uint8Array): number;
  eventFd(): number;
  /** A descriptor that keeps the name, which nobody else in this network namespace can have meanwhile. */
  claimName(name: string): number;
  closeFds(fds: number[]): void;
  duplicateFd(fd: number): number;
  resizeTerminal(options: { fd: number; cols: number; rows: number }): number;
  readCounterFile(fd: number): string | number;
  /**
   * Memory of these processes that no cgroup counts, in bytes; counts until they are more than enough. ENOLCK
   * when a file has more of their locks than others can bear.
   */
  countUncounted(options: { pids: number[]; network: boolean; enough: number }): Promise<number> | number;
}

/** The result of reading a regular file: first bytes, its mode, its size. */
export type FileRead = [bytes: Uint8Array, mode: number, sizeBytes: number];
