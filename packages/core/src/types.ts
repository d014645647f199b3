/**
 * The public data types of `@sbx/core`: what a caller asks for, and what comes back.
 * Every property says meaning, unit, default and when it is absent. Classes live elsewhere
 * (`Engine`, `Sandbox`, `Process`, `Output`); errors are in `errors.ts`.
 */
import type { SbxError } from './errors.js';
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
  /** Data per process: heap, anonymous private mappings, writable data of the file; in bytes (RLIMIT_DATA). At the limit allocation fails; a program with more than that in its file dies in exec, `signal`. Default `null`. */
  dataBytes?: number | null;
  /** Size of the work folder, of /tmp and of /dev/shm, in bytes, each for itself. At the limit `write` fails with ENOSPC. Default 128 MiB. Fixed when the sandbox is made. */
  diskBytes?: number | null;
  /** Number of files and folders in the work folder, in /tmp and in /dev/shm, each for itself. At the limit `open` fails with ENOSPC. Default 16 384. Fixed when the sandbox is made. */
  diskFileCount?: number | null;
  /** CPUs' worth of time per wall second: 0.5 is half a CPU, 2 is two CPUs. Default `null`: as many as there are. */
  cpuRate?: number | null;
  /** Share of the CPU when others want it too, beside the engine's other sandboxes: 200 gets twice as much as 100. Default `null`: none, which counts as 100. */
  cpuWeight?: number | null;
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
  /**
   * File cache that is charged at the end, or now for a living program, in bytes: memory that the kernel would have dropped for the asking.
   * `null` where nobody looked: at the end of a program whose peak was below half of `memoryBytes`.
   */
  fileCacheBytes: number | null;
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
  'cpu-weight',
  'cpu-set',
  'distinct-users', // a host uid of its own for each concurrent sandbox
  'private-proc', // /proc with subset=pid
  'seccomp',
  'landlock', // a second wall around files, where the engine asks for it
  'core-scheduling', // hyper-threads of a core never shared with others, where the engine asks for it
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

/**
 * A file for the sandbox; `mode` in octal, default 0o644 (0o755 when `executable`). Files of the host are copied by the kernel.
 * Folders that lead to it are made as a program would, with 0o777 less the engine's `umask`. `symlink` makes a link that says this,
 * after all files and without making folders.
 */
export type FileInput = (Content & { mode?: number; executable?: boolean }) | { symlink: string };

/** A file wanted back after the end. A string is a path that must exist. */
export type CopyOut =
  | string
  | {
      path: string;
      /** No error when it was not made; with `'any'` none whatever the reason for which it cannot be opened. */
      optional?: boolean | 'any';
      /** Default `copyOutMaxBytes`. */
      maxBytes?: number;
      /** Of a larger file, take the first `maxBytes` bytes; `too-large` is among the errors all the same. */
      truncate?: boolean;
      /** `'fd'`: an open descriptor instead of bytes, see `OutputFile.fd`. Default `'bytes'`. */
      as?: 'bytes' | 'fd';
    };

/** Why a file could not be taken out. */
export interface FileError {
  path: string;
  /** Stable: missing, not a regular file, larger than allowed, not in what the sandbox can write to, not readable. */
  code: 'not-found' | 'not-regular' | 'too-large' | 'outside' | 'denied' | 'io';
  message: string;
  /** Of the system call that failed, if one did. */
  errno?: number;
  /** Its size, when it is too large. */
  sizeBytes?: number;
}

/** What the program reads from a descriptor. */
export type InputSpec =
  | 'empty' // end of file at once (default for stdin)
  | 'null' // /dev/null
  | 'closed' // not open in the program
  | 'pipe' // `Process.stdin`; spawn only
  | SeekableContent
  | { file: string } // a file of the sandbox, after `files` are in; paths as there
  | { inherit: number } // an open descriptor of the host, as it is; the host keeps its own
  | { stream: AsyncIterable<Uint8Array | string> };

/**
 * A content as input. With `seekable` the program gets a real file, at its start, that it can seek in and open again through
 * /proc/self/fd, but neither change nor learn the name of: text and bytes in sealed memory; a host file (without copying it, where
 * a read-only view of it can be made, else as a sealed copy); the file behind `fd`, with an offset of its own. Default: a pipe, or
 * what serves best.
 */
export type SeekableContent = Content & { seekable?: boolean };

/** Where the program writes a descriptor to. */
export type OutputSpec =
  | 'capture' // collected, bounded by outputBytes (default)
  | 'null'
  | 'closed' // not open in the program
  | 'pipe' // `Process.stdout`; spawn only; waits for the reader
  | { capture: CaptureOptions }
  | FileOutput
  | { inherit: number } // an open descriptor of the host, as it is; the host keeps its own
  | { sameAs: number }; // where that other output of the program goes, by the same open file: in order, with one offset

/** A capture with a bound of its own. */
export interface CaptureOptions {
  /** Bytes kept. */
  maxBytes: number;
  /**
   * `'kill'` (default): one more ends the program, `output-limit`. `'discard'`: the rest is read, counted in `totalBytes` and
   * dropped; the program is never stopped for it.
   */
  overflow?: 'kill' | 'discard';
}

/** Output into a file of the sandbox (paths as in `files`), made or cut before `files` are copied in. */
export interface FileOutput {
  file: string;
  /** In octal. Default 0o644. */
  mode?: number;
  /**
   * Its content is wanted in `RunResult.outputs` (or `stdout`, `stderr`): the first `maxBytes` bytes, and its true size in
   * `totalBytes`; what the program does to its path makes no difference. A larger one ends nothing. `as: 'fd'`: `Output.fd`
   * instead of bytes.
   */
  collect?: { maxBytes: number; as?: 'bytes' | 'fd' };
}

/** A descriptor of the program. `fd` hands over an open descriptor of the host as it is, as `inherit`. */
export type FdSpec = { input: InputSpec } | { output: OutputSpec } | { fd: number };

/** A terminal for the program instead of three pipes. */
export interface PtyOptions {
  cols?: number; // default 80; 0 is legal: the size is not known
  rows?: number; // default 24
  /** Value of TERM in the environment. Default `'xterm-256color'`. `null`: none is added. */
  term?: string | null;
  /** Typed into it once, as soon as the program is there. No end of file follows: for that the last byte is 0x04. */
  input?: Content;
  /** Collect the output, in `RunResult.stdout`. Default: with `run` bounded by `outputBytes`; with `spawn` it is the stream `Process.stdout` instead. */
  capture?: {
    /** Bytes kept. */
    maxBytes: number;
    /**
     * `'kill'` (default): one more ends the program, `output-limit`. `'hangup'`: one more cuts the line, and the program is told as
     * by a modem: SIGHUP to the session's leader, EIO for who writes, end of file for who reads.
     */
    overflow?: 'kill' | 'hangup';
  };
}

/** An environment by names, or as the strings that a program gets. */
export type Environment = Readonly<Record<string, string>> | readonly string[];

/** How one program is started. */
export interface ProgramOptions {
  stdin?: InputSpec;
  stdout?: OutputSpec;
  /** `'stdout'` sends stderr where stdout goes, merged by the kernel in order. */
  stderr?: OutputSpec | 'stdout';
  /**
   * More descriptors, by number from 0 to 255; 0 to 2 take the place of stdin, stdout and stderr. Outputs captured or collected
   * here come back in `RunResult.outputs`. 48 descriptors in all.
   */
  fds?: Record<number, FdSpec>;
  /** A terminal; excludes stdin, stdout and stderr. Output comes on `stdout`. */
  pty?: PtyOptions;
  /**
   * The whole environment. Default `DEFAULT_ENV` (PATH, HOME, LANG). Nothing of the host is passed. An array has the strings as
   * the program gets them, usually `NAME=value`, duplicates and all; of several `PATH=` the last is where programs are looked for.
   */
  env?: Environment;
  /**
   * Where a file without a slash is looked for. `'path'` (default): in each folder of PATH, and where env has none in the
   * working folder. `'cwd-first'`: in the working folder, then in PATH (an empty element is the working folder, an empty PATH
   * nothing); the first that is executable and no folder is taken, and its path takes the place of argv[0].
   */
  lookup?: 'path' | 'cwd-first';
  /** Working folder inside the sandbox; relative paths start at the work folder. Default `'/w'`. */
  cwd?: string;
  limits?: Limits;
  /** Abort kills the program and all it started, then rejects with `signal.reason`. */
  signal?: AbortSignal;
  /**
   * What an abort by `signal` comes to once the program runs: `'reject'` (default) with `signal.reason`; `'resolve'` with the
   * result as it is (status `killed`, usage, outputs, files). Before the program was started an abort always rejects.
   */
  onAbort?: 'reject' | 'resolve';
  /** On `kill()`, abort and close: time between SIGTERM and SIGKILL, in ms. Default 0. */
  killGraceMs?: number;
}

/** Options of the one-shot form: a program, its files, and what is wanted back. */
export interface RunOptions extends ProgramOptions {
  /**
   * Files put into the sandbox before the start, over those that outputs have made; parents are created. Paths start at the work
   * folder; absolute ones name a place in it, in /tmp, /dev/shm or a `tmpfs` row. Links on the way are followed within these, one
   * at the end is not.
   */
  files?: Record<string, FileInput | string | Uint8Array>;
  /** Files taken out after every process of this program has ended; in a session others may still live. Paths as in `files`. */
  copyOut?: readonly CopyOut[];
  /** Bytes taken out per file at the most, unless the entry says its own. Default 64 MiB. */
  copyOutMaxBytes?: number;
  /** Called for each chunk as it comes (it is captured as well). A throw or rejection ends the run and rejects it. */
  onStdout?: (chunk: Uint8Array) => unknown;
  /** As `onStdout`, for stderr. */
  onStderr?: (chunk: Uint8Array) => unknown;
}

/** Options of `run` and `spawn` of `Sandbox` and `Engine`: as `RunOptions`, plus the shape of the fresh sandbox. */
export interface OneShotOptions extends RunOptions, SandboxShape {
  /** Engine to use. Default: the process-wide default engine, opened at first use. */
  engine?: import('./sandbox/engine.js').Engine;
}

/** What is decided when a sandbox is made, not per program. */
export interface SandboxShape {
  /** `false` (default): no interface is up. `'loopback'`: 127.0.0.1 and ::1 work, inside this sandbox alone. */
  network?: false | 'loopback';
  /** System call filter: `'default'` is the deny-list of docs/security.md; `'strict'` also refuses locks, leases, inotify, asynchronous requests, `sync` and all sockets but AF_UNIX. */
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
  env?: Environment;
  files?: Record<string, FileInput | string | Uint8Array>;
  signal?: AbortSignal;
}

/** A file that was taken out. */
export interface OutputFile {
  path: string;
  /** Empty with `as: 'fd'`. */
  bytes: Uint8Array;
  mode: number;
  /** Of the file; more than `bytes` when that was cut. */
  sizeBytes: number;
  /**
   * With `as: 'fd'`: the file, open for reading at its start; yours to close. It keeps the whole file system of its sandbox in
   * memory, so copy what is to be kept. Else `null`.
   */
  fd: number | null;
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
  /** Captured and collected outputs of descriptors given in `fds`, by number. */
  outputs: Record<number, Output>;
  usage: Usage;
  /** The files of `copyOut` that were there, by path. */
  files: Record<string, OutputFile>;
  fileErrors: FileError[];
  degraded: Degradation[];
  /** Returns this result when `ok`, throws `ProgramError` otherwise. */
  orThrow(): this;
}

/**
 * One mount of the root that every sandbox of an engine sees, read-only unless said otherwise. `/proc`, the work folder, `/tmp`
 * and `/dev/shm` are every sandbox's own: nothing can be put into them. Of devices there are null, zero, full, random, urandom
 * and tty, always; rows that bind them are accepted, other devices are refused.
 */
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
  /**
   * A private, empty, sized file system, fresh in every sandbox. At the work folder, `/tmp` or `/dev/shm` it takes the place of
   * the one that is there anyway, with these bounds instead of `diskBytes` and `diskFileCount`. Defaults: 128 MiB, 16 384, mode 0o755
   * (`/tmp` and `/dev/shm`: 0o1777).
   */
  | { kind: 'tmpfs'; target: string; sizeBytes?: number; inodeCount?: number; mode?: number }
  | { kind: 'symlink'; target: string; to: string }
  | { kind: 'dir'; target: string; mode?: number }
  /** A small file with this content. */
  | { kind: 'file'; target: string; text: string; mode?: number };

/**
 * What a filter of the caller's does with a call: let it through; fail it with EPERM; send SIGSYS, which the program may catch;
 * fail it with ENOSYS, there being no tracer; let it through and have the kernel write it to its log; end the thread or the process
 * with SIGSYS (`forbidden-syscall`).
 */
export type SeccompAction = 'allow' | 'errno' | 'trap' | 'trace' | 'log' | 'kill-thread' | 'kill-process';

/** A test of one argument of a system call. */
export interface SeccompArgument {
  /** Which, from 0. */
  index: number;
  /** How it is compared, unsigned. `'bits-set'`: at least one bit of `value` is set; `'bits-not-set'`: none is. */
  op: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le' | 'bits-set' | 'bits-not-set';
  value: bigint | number;
  /**
   * Bits that are compared. Default 64. The kernel looks at the low half alone of arguments that are `int` (descriptors, commands,
   * families, flags of many calls): to refuse some of their values give 32, or a program gets past with bits above.
   */
  width?: 32 | 64;
}

/** Calls, and what is done with them. */
export interface SeccompRule {
  /** As the kernel names them: `'openat'`. A name that only another architecture knows is passed over. */
  names: readonly string[];
  action: SeccompAction;
  /** All must hold. Default: whatever the arguments. */
  args?: readonly SeccompArgument[];
}

/**
 * A filter of the caller's on top of ours: of what both say the stricter counts, so it takes calls away and gives none back. The
 * first rule that names a call and whose arguments hold decides, else `defaultAction`. It is loaded right before the program
 * is executed, so `execve` must be allowed.
 */
export interface SeccompPolicy {
  /** Which of ours it stands on, unless a run says another. Default `'default'`. */
  base?: 'default' | 'strict';
  defaultAction: SeccompAction;
  rules: readonly SeccompRule[];
}

/** Settings of an engine; all have defaults. */
export interface EngineOptions {
  /** Root seen by programs. Default `DEFAULT_MOUNTS`: the host's /usr, /bin, /lib*, a few files of /etc, all read-only. */
  mounts?: readonly MountRow[];
  /**
   * Paths inside that are covered: a folder by an empty one, a file by /dev/null. Links are followed, what is not there is
   * passed over. At most 64. Of /proc nothing has to be: it shows a sandbox's own processes alone.
   */
  maskPaths?: readonly string[];
  /**
   * `/proc` inside, of the sandbox's own processes alone. `'masked'` (default): read-only. `'writable'`: a process may write what
   * the kernel lets it write of itself. `'none'`: an empty folder; then `/dev/stdin`, `/dev/fd` and their like lead nowhere.
   */
  proc?: 'masked' | 'none' | 'writable';
  /** Host name inside. Default `'sandbox'`. */
  hostname?: string;
  /** Domain name inside, as `uname` and `domainname` tell it. Default `'(none)'`. */
  domainname?: string;
  /**
   * User and group id of programs as they see it, 0 to 65 533. Default 1000. With 0 they take themselves for root and have no
   * more rights than otherwise: no capability, also not after exec, and a host id of their own that is not init's.
   */
  insideUid?: number;
  /** File mode creation mask of programs, and for folders that lead to files put in. Default 0o022. */
  umask?: number;
  /**
   * Signals that programs start with ignored, as under `nohup`: they stay so until a program asks for another handling. All but
   * `'SIGKILL'` and `'SIGSTOP'`. Default: none.
   */
  ignoredSignals?: readonly NodeJS.Signals[];
  /** What a program's signal to pid 1, init, does: fail with EPERM (default), or succeed without being sent. */
  signalsToInit?: 'refuse' | 'ignore';
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
  /** Guarantees without which opening fails. Default: all of `FEATURES` but `distinct-users`, `swap-limit`, `cpu-set`, `cpu-rate`, `cpu-weight`, and those that only other options here ask for (`landlock`, `core-scheduling`). An empty list accepts anything. */
  require?: readonly Feature[];
  /** First host uid (= gid) for sandboxes, when run as root. Default: a random block in 1 879 048 192–2 147 483 646, which no distribution assigns. */
  uidBase?: number;
  /**
   * Also binds programs by Landlock: they read and execute what they see and write where a sandbox has something of its own.
   * Programs of one session then do not see each other in /proc. A kernel without it (before 5.19, or with it switched off) is refused, unless `require` is given and leaves `'landlock'` out. Default false.
   */
  landlock?: boolean;
  /**
   * Hyper-threads of a core are never shared between a sandbox and anything else while it runs. Where the kernel cannot do it
   * (CONFIG_SCHED_CORE; no hyper-threads), refused as above with `'core-scheduling'`. Default false.
   */
  coreScheduling?: boolean;
  /**
   * `'sandbox'`: each sandbox in use has one CPU, the one that the fewest others have, unless its run asks for a `cpuSet` of its
   * own. Needs `'cpu-set'`, else refused as above. Default `'none'`.
   */
  pinning?: 'none' | 'sandbox';
  /** System call filter of its sandboxes, which a run's own `seccomp` can change between `'default'` and `'strict'`; a policy stays in any case. */
  seccomp?: 'default' | 'strict' | SeccompPolicy;
}

/** What is enforced, by which mechanism. Frozen, and the same for each who asks. */
export interface EngineInfo {
  /** Of this package. */
  readonly version: string;
  readonly kernel: string;
  /** `path`: the folder that the engine's own is made in. */
  readonly cgroup: {
    readonly version: 'v1' | 'v2' | 'hybrid' | 'none';
    readonly path: string | null;
    readonly controllers: readonly string[];
    readonly reason: string | null;
  };
  readonly user: { readonly mode: 'root' | 'rootless'; readonly uidBase: number | null };
  readonly features: Readonly<
    Record<
      Feature,
      { readonly available: boolean; readonly mechanism: string | null; readonly reason: string | null }
    >
  >;
  readonly parallelism: number;
  readonly maxSandboxes: number;
  readonly queueLength: number;
  /** What programs get that ask for nothing. */
  readonly limits: Readonly<Limits>;
  /** What they may ask for at the most; empty when there is no bound. */
  readonly ceilings: Readonly<Limits>;
  /** What their root is made of. */
  readonly mounts: readonly Readonly<MountRow>[];
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

/** What all sandboxes of an engine use together, helpers included. `null` where nothing counts it. */
export interface EngineUsage {
  /** User + system time since the opening, in ms. */
  cpuTimeMs: number | null;
  /** Memory held now, file cache included, in bytes. */
  memoryBytes: number | null;
  /** High-water mark of it since the opening, in bytes. */
  memoryPeakBytes: number | null;
}

/** One program of a group: a one-shot run of its own, with names for its pipes' ends. */
export interface GroupProgram
  extends Omit<RunOptions, 'signal' | 'onAbort' | 'onStdout' | 'onStderr'>,
    SandboxShape {
  file: string;
  args?: readonly string[];
}

/**
 * A pipe between two programs of a group: descriptor `fd` of `programs[index]`. Programs that plain pipes join in a circle, as
 * two that ask and answer, are held on one CPU now and then, for 20 ms, where that makes them no slower.
 */
export interface GroupPipe {
  from: { index: number; fd: number };
  to: { index: number; fd: number };
  /**
   * Pass the bytes through the host, keep the first `maxBytes` of them and return them in `recordings` of the result. When its
   * reader is gone, the writer gets EPIPE as from a plain pipe; with `drain` it can go on writing, and what it writes is
   * dropped, recorded and counted all the same. Default: a plain kernel pipe, up to ten times as fast for lines to and fro.
   */
  record?: { maxBytes: number; drain?: boolean };
  /** As `record`, but nothing is kept. Excludes it. */
  relay?: true | { drain?: boolean };
}

/** Programs that run at the same time, and the pipes between them. */
export interface GroupRequest {
  programs: readonly GroupProgram[];
  pipes?: readonly GroupPipe[];
  /**
   * What becomes of the others when one cannot be started or its sandbox fails: `'all'` (default) ends them and rejects with
   * the reason; `'each'` lets them go on, and its ends of pipes are closed (`EachGroupRequest`).
   */
  settle?: 'all';
  /** Abort kills all programs, then rejects with `signal.reason`. */
  signal?: AbortSignal;
  /** As `ProgramOptions.onAbort`, for all. With `settle: 'each'` programs that were not started yet have an `SBX_ABORTED` in `errors`. */
  onAbort?: 'reject' | 'resolve';
}

/** A group whose programs are judged each for itself. */
export interface EachGroupRequest extends Omit<GroupRequest, 'settle'> {
  settle: 'each';
}

/** How each ended, and what went by. */
export interface GroupResult {
  /** In the order of `programs`. */
  results: RunResult[];
  /** In the order of `pipes`; `null` for a pipe without `record`. What was dropped by a bound or never read is counted in `totalBytes`. */
  recordings: (Output | null)[];
}

/** The same with `settle: 'each'`: of each program either the result or why there is none. */
export interface EachGroupResult {
  /** In the order of `programs`; `null` where there is an error. */
  results: (RunResult | null)[];
  /** In the order of `programs`; `null` where there is a result. */
  errors: (SbxError | null)[];
  /** In the order of `pipes`; `null` for a pipe without `record`. */
  recordings: (Output | null)[];
}

/** As `stat`, of a file in the sandbox. */
export interface FileStat {
  kind: 'file' | 'dir' | 'symlink' | 'other';
  sizeBytes: number;
  mode: number;
  modifiedMs: number;
}
