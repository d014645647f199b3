/**
 * The public data types of `@sbx/core`: what a caller asks for, and what comes back.
 * Every property says meaning, unit, default and when it is absent. Classes live elsewhere
 * (`Engine`, `Sandbox`, `Process`, `Output`); errors are in `errors.ts`.
 */
import type { Output } from './streams/output.js';

/**
 * What a program may use. `undefined` takes the engine's default (`DEFAULT_LIMITS`), `null` means no limit.
 * A limit that the machine cannot enforce is listed in `RunResult.degraded`, or refused when the engine requires it.
 */
export interface Limits {
  /** CPU time, user + system, of the program and all its descendants, in ms. Over it: killed, `cpu-limit`. Default 10 000. Killed within 10 ms of it. */
  cpuTimeMs?: number | null;
  /** Wall time from start to end of the program, in ms. Over it: killed, `wall-limit`. Default 30 000. Killed within 10 ms of it. */
  wallTimeMs?: number | null;
  /** Memory of all processes together, swap, tmpfs, shared memory and pipe buffers included, in bytes. Over it: killed, `memory-limit`. Default 256 MiB. */
  memoryBytes?: number | null;
  /** Processes and threads alive at once. At the limit `fork` fails with EAGAIN: the program decides what that means. Default 64. */
  processCount?: number | null;
  /** Bytes of captured output, each captured descriptor (a terminal too) for itself. Over it: killed, `output-limit`, and the output is cut at the limit. Default 1 MiB. Not applied to `'pipe'`, where back pressure bounds. */
  outputBytes?: number | null;
  /** Size of any single file the program writes, in bytes (RLIMIT_FSIZE). Over it: SIGXFSZ, `output-limit`. Default 64 MiB. */
  fileBytes?: number | null;
  /** Open descriptors per process (RLIMIT_NOFILE). At the limit `open` fails with EMFILE. Default 256. At most the host's own hard limit, which is also what `null` gives. */
  openFileCount?: number | null;
  /** Stack of the main thread, in bytes (RLIMIT_STACK). Over it: SIGSEGV, `signal`. Default 64 MiB. `null`: unlimited, bounded by memory. */
  stackBytes?: number | null;
  /** Address space per process, in bytes (RLIMIT_AS). Default `null`: a poor measure of memory, here for those who need it. */
  addressSpaceBytes?: number | null;
  /** Size of the work folder, of /tmp and of /dev/shm, in bytes, each for itself. At the limit `write` fails with ENOSPC. Default 128 MiB. Fixed when the sandbox is made. */
  diskBytes?: number | null;
  /** Number of files and folders in the work folder, in /tmp and in /dev/shm, each for itself. At the limit `open` fails with ENOSPC. Default 16 384. Fixed when the sandbox is made. */
  diskFileCount?: number | null;
  /** CPUs' worth of time per wall second: 0.5 is half a CPU, 2 is two CPUs. Default `null`: as many as there are. */
  cpuRate?: number | null;
  /** CPUs it may run on, as a list of numbers and ranges (`'0-1,3'`). Default `null`: all of the engine's. */
  cpuSet?: string | null;
}

/** All ways a program can end. The order of decision is the table in `engine/verdict.ts`, documented in docs/limits.md. */
export const STATUSES = [
  'ok', // exit code 0, within all limits
  'exit', // another exit code
  'signal', // ended by a signal, its own or another process's
  'cpu-limit',
  'wall-limit',
  'memory-limit',
  'output-limit',
  'forbidden-syscall', // SIGSYS from the system call filter
  'file-error', // it ended well, but a file named in copyOut could not be taken
  'killed', // ended from outside: kill(), close()
] as const;
/** One of `STATUSES`. */
export type Status = (typeof STATUSES)[number];

/** What was used, measured by the supervisor; present on every result, also of killed runs. */
export interface Usage {
  /** User + system time of the program and all its descendants, orphans included, in ms with fractions. */
  cpuTimeMs: number;
  /** From just before exec to the end of the main process, in ms with fractions. */
  wallTimeMs: number;
  /** High-water mark of the whole group: anonymous, tmpfs, shared memory, pipes, page tables. `null` when nothing could measure it. */
  memoryPeakBytes: number | null;
  /** Most processes and threads alive at once. `null` when nothing could measure it. */
  processPeakCount: number | null;
}

/** Usage of a living program; see `Process.usage()`. */
export interface LiveUsage extends Usage {
  /** Memory held now, file cache left out, in bytes; 0 after the end. `null` when nothing could measure it. */
  memoryBytes: number | null;
}

/** Something that was enforced or measured less well than asked, and why. */
export interface Degradation {
  /** The guarantee: a limit's name, a figure's name, or a mechanism. */
  feature: Feature;
  /** One sentence for a person. */
  reason: string;
}

/** Guarantees that can be missing on a machine; the values of `EngineOptions.require` and `Degradation.feature`. */
export const FEATURES = [
  'cpu-accounting', // CPU time of the whole tree by cgroup
  'memory-limit', // memory of the whole tree by cgroup
  'memory-peak',
  'swap-limit',
  'process-limit',
  'process-peak',
  'cpu-rate',
  'cpu-set',
  'distinct-users', // a host uid of its own for each concurrent sandbox
  'private-proc', // /proc with subset=pid
  'seccomp',
] as const;
/** One of `FEATURES`. */
export type Feature = (typeof FEATURES)[number];

/** Bytes for a file or for stdin. Exactly one key. */
export type Content =
  | { text: string }
  | { bytes: Uint8Array }
  /** A file of the host, read by the engine with its own rights. */
  | { hostFile: string }
  /** An open descriptor of the host, read from its start; it stays open. */
  | { fd: number };

/** A file for the work folder; `mode` in octal, default 0o644 (0o755 when `executable`). */
export type FileInput = Content & { mode?: number; executable?: boolean };

/** A file wanted back after the end. A string is a path that must exist. */
export type CopyOut = string | { path: string; optional?: boolean; maxBytes?: number };

/** Why a file could not be taken out. */
export interface FileError {
  path: string;
  /** Stable: missing, not a regular file, larger than allowed, not reachable inside the work folder, not readable. */
  code: 'not-found' | 'not-regular' | 'too-large' | 'outside' | 'denied' | 'io';
  message: string;
}

/** What the program reads from a descriptor. */
export type InputSpec =
  | 'empty' // end of file at once (default for stdin)
  | 'null' // /dev/null
  | 'pipe' // `Process.stdin`; spawn only
  | Content
  | { file: string } // a file of the work folder
  | { stream: AsyncIterable<Uint8Array | string> };

/** Where the program writes a descriptor to. */
export type OutputSpec =
  | 'capture' // collected, bounded by outputBytes (default)
  | 'null'
  | 'pipe' // `Process.stdout`; spawn only; waits for the reader
  | { file: string }; // a file of the work folder, created or cut

/** A descriptor beyond 2. `fd` hands over an open descriptor of the host as it is. */
export type FdSpec = { input: InputSpec } | { output: OutputSpec } | { fd: number };

/** A terminal for the program instead of three pipes. */
export interface PtyOptions {
  cols?: number; // default 80
  rows?: number; // default 24
  /** Value of TERM in the environment. Default `'xterm-256color'`. */
  term?: string;
}

/** How one program is started. */
export interface ProgramOptions {
  stdin?: InputSpec;
  stdout?: OutputSpec;
  /** `'stdout'` sends stderr where stdout goes, merged by the kernel in order. */
  stderr?: OutputSpec | 'stdout';
  /** More descriptors, by number (3 to 255). Outputs captured here come back in `RunResult.outputs`. */
  fds?: Record<number, FdSpec>;
  /** A terminal; excludes stdin, stdout and stderr. Output comes on `stdout`. */
  pty?: PtyOptions;
  /** The whole environment. Default `DEFAULT_ENV` (PATH, HOME, LANG). Nothing of the host is passed. */
  env?: Record<string, string>;
  /** Working folder inside the sandbox; relative paths start at the work folder. Default `'/w'`. */
  cwd?: string;
  limits?: Limits;
  /** Abort kills the program and all it started, then rejects with `signal.reason`. */
  signal?: AbortSignal;
  /** On `kill()`, abort and close: time between SIGTERM and SIGKILL, in ms. Default 0. */
  killGraceMs?: number;
}

/** Options of the one-shot form: a program, its files, and what is wanted back. */
export interface RunOptions extends ProgramOptions {
  /** Files put into the work folder before the start; parents are created. Keys are relative paths. */
  files?: Record<string, FileInput | string | Uint8Array>;
  /** Files taken out after every process of this program has ended; in a session others may still live. */
  copyOut?: readonly CopyOut[];
  /** Bytes taken out per file at the most, unless the entry says its own. Default 64 MiB. */
  copyOutMaxBytes?: number;
  /** Called for each chunk as it comes (it is captured as well). A throw or rejection ends the run and rejects it. */
  onStdout?: (chunk: Uint8Array) => unknown;
  /** As `onStdout`, for stderr. */
  onStderr?: (chunk: Uint8Array) => unknown;
}

/** Options of `Sandbox.run` and `Engine.run`: as `RunOptions`, plus the shape of the fresh sandbox. */
export interface OneShotOptions extends RunOptions, SandboxShape {
  /** Engine to use. Default: the process-wide default engine, opened at first use. */
  engine?: import('./sandbox/engine.js').Engine;
}

/** What is decided when a sandbox is made, not per program. */
export interface SandboxShape {
  /** `false` (default): no interface is up. `'loopback'`: 127.0.0.1 and ::1 work, inside this sandbox alone. */
  network?: false | 'loopback';
  /** System call filter: `'default'` is the deny-list of docs/security.md; `'strict'` also refuses locks, leases, inotify and all sockets but AF_UNIX. */
  seccomp?: 'default' | 'strict';
  /** What a refused system call does: fail with an errno (default) or kill the program (`forbidden-syscall`). */
  seccompAction?: 'errno' | 'kill';
}

/** Settings of a sandbox that stays. */
export interface SandboxOptions extends SandboxShape {
  engine?: import('./sandbox/engine.js').Engine;
  /** Memory, processes and disk bound the sandbox as a whole, and programs can only ask for less; the others are defaults for its programs. */
  limits?: Limits;
  /** Default environment of its programs. */
  env?: Record<string, string>;
  files?: Record<string, FileInput | string | Uint8Array>;
  signal?: AbortSignal;
}

/** A file that was taken out. */
export interface OutputFile {
  path: string;
  bytes: Uint8Array;
  mode: number;
  /** UTF-8, invalid sequences replaced. */
  text(): string;
}

/** How a program ended and what it left. Resolved for everything the program did, good or bad. */
export interface RunResult {
  status: Status;
  /** `status === 'ok'`. */
  ok: boolean;
  /** `null` when a signal ended it. */
  exitCode: number | null;
  /** Name of the signal that ended it (`'SIGSEGV'`), `null` when it exited. */
  exitSignal: string | null;
  stdout: Output;
  stderr: Output;
  /** Captured outputs of descriptors beyond 2, by number. */
  outputs: Record<number, Output>;
  usage: Usage;
  /** The files of `copyOut` that were there, by path. */
  files: Record<string, OutputFile>;
  fileErrors: FileError[];
  degraded: Degradation[];
  /** Returns this result when `ok`, throws `ProgramError` otherwise. */
  orThrow(): this;
}

/** One mount of the root that every sandbox of an engine sees, read-only unless said otherwise. */
export type MountRow =
  /** The host's file or folder `source`, without submounts unless `recursive`; skipped when missing and `optional`; programs in it can be executed unless `executable` is `false`. */
  | {
      kind: 'bind';
      source: string;
      target?: string;
      writable?: boolean;
      optional?: boolean;
      recursive?: boolean;
      executable?: boolean;
    }
  /** A private, empty, sized file system, fresh in every sandbox. */
  | { kind: 'tmpfs'; target: string; sizeBytes?: number; inodeCount?: number; mode?: number }
  | { kind: 'symlink'; target: string; to: string }
  | { kind: 'dir'; target: string; mode?: number }
  /** A small file with this content. */
  | { kind: 'file'; target: string; text: string; mode?: number };

/** Settings of an engine; all have defaults. */
export interface EngineOptions {
  /** Root seen by programs. Default `DEFAULT_MOUNTS`: the host's /usr, /bin, /lib*, a few files of /etc, all read-only. */
  mounts?: readonly MountRow[];
  /** Host name inside. Default `'sandbox'`. */
  hostname?: string;
  /** The work folder inside, absolute. Default `'/w'`. */
  workDir?: string;
  /** One-shot runs at the same time. Default: number of CPUs. More wait in the queue. */
  parallelism?: number;
  /** Sandboxes alive at the same time, sessions and groups included. Default 256. More are refused with `OverloadedError`. */
  maxSandboxes?: number;
  /** One-shot runs that may wait. Default 512. More are refused with `OverloadedError`. */
  queueLength?: number;
  /** Sandboxes kept ready for the next run. Default: `parallelism`, at most 16. */
  readyCount?: number;
  /** Defaults for every program. Merged over `DEFAULT_LIMITS`. */
  limits?: Limits;
  /** Highest limits a caller may ask for; above is `InvalidOptionsError`, not a silent clamp. Default: none. */
  ceilings?: Limits;
  /** Cgroup to work in: `'auto'` (default) finds or makes one, `'none'` does without, a path names a delegated one (v2: below /sys/fs/cgroup; v1: the same path in each hierarchy). */
  cgroup?: 'auto' | 'none' | string;
  /** Guarantees without which opening fails. Default: all of `FEATURES` but `distinct-users`, `swap-limit`, `cpu-set`, `cpu-rate`. An empty list accepts anything. */
  require?: readonly Feature[];
  /** First host uid (= gid) for sandboxes, when run as root. Default: a random block in 1 879 048 192–2 147 483 646, which no distribution assigns. */
  uidBase?: number;
  seccomp?: 'default' | 'strict';
}

/** What is enforced, by which mechanism. */
export interface EngineInfo {
  /** Of this package. */
  version: string;
  kernel: string;
  /** `path`: the folder that the engine's own is made in. */
  cgroup: {
    version: 'v1' | 'v2' | 'hybrid' | 'none';
    path: string | null;
    controllers: string[];
    reason: string | null;
  };
  user: { mode: 'root' | 'rootless'; uidBase: number | null };
  features: Record<Feature, { available: boolean; mechanism: string | null; reason: string | null }>;
  parallelism: number;
  maxSandboxes: number;
  queueLength: number;
  /** What programs get that ask for nothing. */
  limits: Limits;
  /** What they may ask for at the most; empty when there is no bound. */
  ceilings: Limits;
}

/** Numbers for metrics. */
export interface EngineCounters {
  /** One-shot runs and groups that have a place of `parallelism`; programs of sessions are not among them. */
  running: number;
  /** Runs in the queue. */
  waiting: number;
  /** Sandboxes that stand ready. */
  ready: number;
  /** Sandboxes in use, sessions included. */
  sandboxes: number;
  /** Programs executed since the opening. */
  startedTotal: number;
  /** Programs that have ended. */
  finishedTotal: number;
  /** Runs refused because the queue was full. */
  refusedTotal: number;
  /** Ended programs by status. */
  byStatus: Record<Status, number>;
}

/** One program of a group: a one-shot run of its own, with names for its pipes' ends. */
export interface GroupProgram extends Omit<RunOptions, 'signal' | 'onStdout' | 'onStderr'>, SandboxShape {
  file: string;
  args?: readonly string[];
}

/** A pipe between two programs of a group: descriptor `fd` of `programs[index]`. */
export interface GroupPipe {
  from: { index: number; fd: number };
  to: { index: number; fd: number };
  /** Pass the bytes through the host, keep the first `maxBytes` of them and return them in `GroupResult.recordings`. Default: a plain kernel pipe. */
  record?: { maxBytes: number };
}

/** Programs that run at the same time, and the pipes between them. */
export interface GroupRequest {
  programs: readonly GroupProgram[];
  pipes?: readonly GroupPipe[];
  signal?: AbortSignal;
}

/** How each ended, and what went by. */
export interface GroupResult {
  /** In the order of `programs`. */
  results: RunResult[];
  /** In the order of `pipes`; `null` for a pipe without `record`. */
  recordings: (Output | null)[];
}

/** As `stat`, of a file in the work folder. */
export interface FileStat {
  kind: 'file' | 'dir' | 'symlink' | 'other';
  sizeBytes: number;
  mode: number;
  modifiedMs: number;
}
