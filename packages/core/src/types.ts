/**
 * The public data types of `@sbx/core`: what a caller asks for, and what comes back.
 * Every property says meaning, unit, default and when it is absent. Classes live elsewhere
 * (`Engine`, `Sandbox`, `Process`, `Output`); errors are in `errors.ts`.
 */
import type { SbxError } from './errors.js';
import type { AllowableSyscall, ProcMode, SyscallFamily } from './native/tables.js';
import type { Output } from './streams/output.js';

/**
 * What a program may use. `undefined` takes the engine's default (`DEFAULT_LIMITS`), `null` means no limit.
 * A limit that the machine cannot enforce is listed in `RunResult.degraded`, or refused when the engine requires it.
 */
export interface Limits {
  /** CPU time, user + system, of the program and all its descendants, in ms. Over it: killed, `cpu-limit`. Default 10 000. Killed within 10 ms of it. */
  cpuTimeMs?: number | null | undefined;
  /** Wall time from start to end of the program, in ms. Over it: killed, `wall-limit`. Default 30 000. Killed within 10 ms of it. */
  wallTimeMs?: number | null | undefined;
  /** Memory of all processes together, swap, tmpfs, shared memory and pipe buffers included, in bytes. Over it: killed, `memory-limit`. Default 256 MiB. */
  memoryBytes?: number | null | undefined;
  /** Processes and threads alive at once. At the limit `fork` fails with EAGAIN: the program decides what that means. Default 64. */
  processCount?: number | null | undefined;
  /** Bytes of captured output, each captured descriptor (a terminal too) for itself. Over it: killed, `output-limit`, and the output is cut at the limit. Default 1 MiB. Not applied to `'pipe'`, where back pressure bounds. */
  outputBytes?: number | null | undefined;
  /** Size of any single file the program writes, in bytes (RLIMIT_FSIZE). Over it: SIGXFSZ, `output-limit`. Default 64 MiB. */
  fileBytes?: number | null | undefined;
  /** Open descriptors per process (RLIMIT_NOFILE). At the limit `open` fails with EMFILE. Default 256. At most the host's own hard limit, which is also what `null` gives. */
  openFileCount?: number | null | undefined;
  /** Stack of the main thread, in bytes (RLIMIT_STACK). Over it: SIGSEGV, `signal`. Default 64 MiB. `null`: unlimited, bounded by memory. */
  stackBytes?: number | null | undefined;
  /** Address space per process, in bytes (RLIMIT_AS). Default `null`: a poor measure of memory, here for those who need it. */
  addressSpaceBytes?: number | null | undefined;
  /** Data per process: heap, anonymous private mappings, writable data of the file; in bytes (RLIMIT_DATA). At the limit allocation fails; a program with more than that in its file dies in exec, `signal`. Default `null`. */
  dataBytes?: number | null | undefined;
  /** Size of the work folder, of /tmp and of /dev/shm, in bytes, each for itself. At the limit `write` fails with ENOSPC. Default 128 MiB. Fixed when the sandbox is made. */
  diskBytes?: number | null | undefined;
  /** Number of files and folders in the work folder, in /tmp and in /dev/shm, each for itself. At the limit `open` fails with ENOSPC. Default 16 384. Fixed when the sandbox is made. */
  diskFileCount?: number | null | undefined;
  /** CPUs' worth of time per wall second: 0.5 is half a CPU, 2 is two CPUs. Default `null`: as many as there are. */
  cpuRate?: number | null | undefined;
  /** Share of the CPU when others want it too, beside the engine's other sandboxes: 200 gets twice as much as 100. Default `null`: none, which counts as 100. */
  cpuWeight?: number | null | undefined;
  /** CPUs it may run on, as a list of numbers and ranges (`'0-1,3'`). Default `null`: all of the engine's. */
  cpuSet?: string | null | undefined;
}

/** All ways a program can end. The order of decision is the table in `run/verdict.ts`, documented in docs/limits.md. */
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
   * Caches of files that are charged at the end, or now for a living program, in bytes: memory that the kernel would have dropped for the asking. Pages of
   * files, and at the end names and inodes too.
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
export type FileInput =
  | (Content & { mode?: number | undefined; executable?: boolean | undefined })
  | { symlink: string };

/** A file wanted back after the end. A string is a path that must exist. */
export type CopyOut =
  | string
  | {
      path: string;
      /** No error when it was not made; with `'any'` none whatever the reason for which it cannot be opened. */
      optional?: boolean | 'any' | undefined;
      /** Default `copyOutMaxBytes`. */
      maxBytes?: number | undefined;
      /** Of a larger file, take the first `maxBytes` bytes; `too-large` is among the errors all the same. */
      truncate?: boolean | undefined;
      /** `'fd'`: an open descriptor instead of bytes, see `OutputFile.fd`. Default `'bytes'`. */
      as?: 'bytes' | 'fd' | undefined;
    };

/** Why a file could not be taken out. */
export interface FileError {
  /** As it was asked for in `copyOut`. */
  path: string;
  /** Stable: missing, not a regular file, larger than allowed, not in what the sandbox can write to, not readable. */
  code: 'not-found' | 'not-regular' | 'too-large' | 'outside' | 'denied' | 'io';
  /** One sentence for a person. */
  message: string;
  /** Of the system call that failed, if one did. */
  errno?: number | undefined;
  /** Its size, when it is too large. */
  sizeBytes?: number | undefined;
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
export type SeekableContent = Content & { seekable?: boolean | undefined };

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
  overflow?: 'kill' | 'discard' | undefined;
}

/** Output into a file of the sandbox (paths as in `files`), made or cut before `files` are copied in. */
export interface FileOutput {
  /** Its path inside, as in `files`. */
  file: string;
  /** In octal. Default 0o644. */
  mode?: number | undefined;
  /**
   * Its content is wanted in `RunResult.outputs` (or `stdout`, `stderr`): the first `maxBytes` bytes, and its true size in
   * `totalBytes`; what the program does to its path makes no difference. A larger one ends nothing. `as: 'fd'`: `Output.fd`
   * instead of bytes.
   */
  collect?: { maxBytes: number; as?: 'bytes' | 'fd' | undefined } | undefined;
}

/** A descriptor of the program. `fd` hands over an open descriptor of the host as it is, as `inherit`. */
export type FdSpec = { input: InputSpec } | { output: OutputSpec } | { fd: number };

/** A terminal for the program instead of three pipes. */
export interface PtyOptions {
  /** Width in characters. Default 80. 0 is legal: the size is not known. */
  cols?: number | undefined;
  /** Height in lines. Default 24. 0 as for `cols`. */
  rows?: number | undefined;
  /** Value of TERM in the environment. Default `'xterm-256color'`. `null`: none is added. */
  term?: string | null | undefined;
  /** Typed into it once, as soon as the program is there. No end of file follows: for that the last byte is 0x04. */
  input?: Content | undefined;
  /** Collect the output, in `RunResult.stdout`. Default: with `run` bounded by `outputBytes`; with `spawn` it is the stream `Process.stdout` instead. */
  capture?:
    | {
        /** Bytes kept. */
        maxBytes: number;
        /**
         * `'kill'` (default): one more ends the program, `output-limit`. `'hangup'`: one more cuts the line, and the program is told as
         * by a modem: SIGHUP to the session's leader, EIO for who writes, end of file for who reads.
         */
        overflow?: 'kill' | 'hangup';
      }
    | undefined;
}

/** An environment by names, or as the strings that a program gets. */
export type Environment = Readonly<Record<string, string>> | readonly string[];

/** How one program is started. */
export interface ProgramOptions {
  /** What it reads. Default `'empty'`: end of file at once. */
  stdin?: InputSpec | undefined;
  /** Where its output goes. Default `'capture'`: into the result. */
  stdout?: OutputSpec | undefined;
  /** `'stdout'` sends stderr where stdout goes, merged by the kernel in order. */
  stderr?: OutputSpec | 'stdout' | undefined;
  /**
   * More descriptors, by number from 0 to 255; 0 to 2 take the place of stdin, stdout and stderr. Outputs captured or collected
   * here come back in `RunResult.outputs`. 48 descriptors in all.
   */
  fds?: Record<number, FdSpec> | undefined;
  /** A terminal; excludes stdin, stdout and stderr. Output comes on `stdout`. */
  pty?: PtyOptions | undefined;
  /**
   * The whole environment. Default `DEFAULT_ENV` (PATH, HOME, LANG). Nothing of the host is passed. An array has the strings as
   * the program gets them, usually `NAME=value`, duplicates and all; of several `PATH=` the last is where programs are looked for.
   */
  env?: Environment | undefined;
  /**
   * Where a file without a slash is looked for. `'path'` (default): in each folder of PATH, and where env has none in the
   * working folder. `'cwd-first'`: in the working folder, then in PATH (an empty element is the working folder, an empty PATH
   * nothing); the first that is executable and no folder is taken, and its path takes the place of argv[0].
   */
  lookup?: 'path' | 'cwd-first' | undefined;
  /** Working folder inside the sandbox; relative paths start at the work folder. Default `'/w'`. */
  cwd?: string | undefined;
  /**
   * What the program is written in or runs on: with the strict filter it can make the calls of that family alone (docs/security.md), any other
   * fails with EPERM. Without the strict filter it says nothing. Default `'any'`: the calls of all families.
   */
  seccompFamily?: SyscallFamily | undefined;
  /** What it may use. Default: the sandbox’s, else the engine’s, else `DEFAULT_LIMITS`. */
  limits?: Limits | undefined;
  /** Abort kills the program and all it started, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
  /**
   * What an abort by `signal` comes to once the program runs: `'reject'` (default) with `signal.reason`; `'resolve'` with the
   * result as it is (status `killed`, usage, outputs, files). Before the program was started an abort always rejects.
   */
  onAbort?: 'reject' | 'resolve' | undefined;
  /** On `kill()`, abort and close: time between SIGTERM and SIGKILL, in ms. Default 0. */
  killGraceMs?: number | undefined;
}

/** Options of the one-shot form: a program, its files, and what is wanted back. */
export interface RunOptions extends ProgramOptions {
  /**
   * Files put into the sandbox before the start, over those that outputs have made; parents are created. Paths start at the work
   * folder; absolute ones name a place in it, in /tmp, /dev/shm or a `tmpfs` row. Links on the way are followed within these, one
   * at the end is not.
   */
  files?: Record<string, FileInput | string | Uint8Array> | undefined;
  /** Files taken out after every process of this program has ended; in a session others may still live. Paths as in `files`. */
  copyOut?: readonly CopyOut[] | undefined;
  /** Bytes taken out per file at the most, unless the entry says its own. Default 64 MiB. */
  copyOutMaxBytes?: number | undefined;
  /**
   * Bytes that `copyOut` and outputs with `collect` may bring out together, each file counted as often as it is named and with 4 KiB
   * at least; behind a descriptor (`as: 'fd'`) by the blocks it has, and a quarter of its size at least. A file that does not fit is a
   * `FileError` (`too-large`), a collected output is cut. Default: no such bound.
   */
  copyOutTotalBytes?: number | undefined;
  /** Called for each chunk as it comes (it is captured as well). A throw or rejection ends the run and rejects it. */
  onStdout?: ((chunk: Uint8Array) => unknown) | undefined;
  /** As `onStdout`, for stderr. */
  onStderr?: ((chunk: Uint8Array) => unknown) | undefined;
}

/** Options of `run` and `spawn` of `Sandbox` and `Engine`: as `RunOptions`, plus the shape of the fresh sandbox. */
export interface OneShotOptions extends RunOptions, SandboxShape {
  /** Engine to use. Default: the process-wide default engine, opened at first use. */
  engine?: import('./public/engine.js').Engine | undefined;
}

/** One run of `engine.runMany`: what `engine.run` takes. */
export interface RunRequest {
  /** The program, as for `Engine.run`. */
  file: string;
  /** Its arguments. Default: none. */
  args?: readonly string[] | undefined;
  /** As for `Engine.run`. A `signal` here ends this run, which then rejects, and with it the whole. */
  options?: OneShotOptions | undefined;
}

/** Requests of `engine.runMany`, also ones that are made as they are taken. */
export type ManyRequests = Iterable<RunRequest> | AsyncIterable<RunRequest>;

/** Settings of `engine.runMany`. */
export interface RunManyOptions {
  /** Runs at the same time, 1 to 4096. Default: the engine's `parallelism`. Never more than it and `queueLength` together. */
  concurrency?: number | undefined;
  /** Abort kills what runs, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** What is decided when a sandbox is made, not per program. */
export interface SandboxShape {
  /** `false` (default): no interface is up. `'loopback'`: 127.0.0.1 and ::1 work, inside this sandbox alone. */
  network?: false | 'loopback' | undefined;
  /** System call filter: `'default'` is the deny-list of docs/security.md; `'strict'` lets through what programs of a language call (`seccompFamily`), no locks, leases, inotify, `sync`, and of sockets AF_UNIX alone, and has the CPU guess less, which costs CPU time (docs/second-wall.md). */
  seccomp?: 'default' | 'strict' | undefined;
  /** What a refused system call does: fail with an errno (default) or kill the program (`forbidden-syscall`). */
  seccompAction?: 'errno' | 'kill' | undefined;
}

/** A tar archive: its bytes, a file or an open descriptor of the host, or a stream, such as `sandbox.snapshot()` or `fs.createReadStream`. */
export type WorkspaceSource = Uint8Array | AsyncIterable<Uint8Array> | Exclude<Content, { text: string }>;

/** Settings of `sandbox.snapshot()`. */
export interface SnapshotOptions {
  /** Bytes of all files together; more is an `SBX_FILE_TOO_LARGE`. Default 512 MiB. */
  maxBytes?: number | undefined;
  /** Files, folders and links; more is an `SBX_FILE_TOO_LARGE`. Default 65 536. */
  maxFileCount?: number | undefined;
  /** Abort ends the stream with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** Settings of `sandbox.watch()`. */
export interface WatchOptions {
  /** Also what is in folders below. Default false. */
  recursive?: boolean | undefined;
  /** Between two looks at the least, in ms, 10 to 60 000. Default 100. They are further apart where a look takes long. */
  intervalMs?: number | undefined;
  /** Entries that are looked at, 1 to 65 536. More are an `overflow`. Default 4096. */
  maxEntryCount?: number | undefined;
  /** Abort ends the iteration with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** A difference between two looks at a folder. */
export interface WatchEvent {
  /**
   * `'change'`: content, permissions or links. `'overflow'`: there is more than `maxEntryCount`, or a name that cannot be looked at; what
   * happens to entries that were left out is not told until all fit again.
   */
  kind: 'create' | 'change' | 'remove' | 'overflow';
  /** As for `readFile`: below the path that is watched. Of `'overflow'` that path itself. */
  path: string;
}

/** Settings of a sandbox that stays. */
export interface SandboxOptions extends SandboxShape {
  /** Engine to use. Default: the process-wide default engine, opened at first use. */
  engine?: import('./public/engine.js').Engine | undefined;
  /** Memory, processes and disk bound the sandbox as a whole, and programs can only ask for less; the others are defaults for its programs. */
  limits?: Limits | undefined;
  /** Default environment of its programs. */
  env?: Environment | undefined;
  /**
   * A tar archive that the work folder starts from, as `sandbox.snapshot()` makes it; before `files`. It may come from anyone: names
   * that lead out, devices, pipes and what is larger than `diskBytes` and `diskFileCount` are refused. All of it belongs to the
   * sandbox's user. Not compressed.
   */
  workspace?: WorkspaceSource | undefined;
  /** Files that are there from the start, by path; as `RunOptions.files`. */
  files?: Record<string, FileInput | string | Uint8Array> | undefined;
  /** Abort while it is made rejects with `signal.reason`. Afterwards it does nothing: call `close()`. */
  signal?: AbortSignal | undefined;
}

/** A file that was taken out. */
export interface OutputFile {
  /** As it was asked for in `copyOut`. */
  path: string;
  /** Empty with `as: 'fd'`. */
  bytes: Uint8Array;
  /** Permission bits. */
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
  /** How it ended, in one word: the verdict. */
  status: Status;
  /**
   * Row of the verdict table (docs/limits.md) that decided: `'cpu-limit/record'` when the supervisor killed it, `'cpu-limit/figure'`
   * when its final figures are over, `'cpu-limit/signal'` when only a signal says so, which a program can raise itself.
   */
  evidence: string;
  /** `status === 'ok'`. */
  ok: boolean;
  /** `null` when a signal ended it. */
  exitCode: number | null;
  /** Name of the signal that ended it (`'SIGSEGV'`, `'SIGRTMIN+2'`; see `signalNumber`), `null` when it exited. */
  exitSignal: string | null;
  /** What it wrote there: bytes, and `text()`. Empty unless it was captured or collected. */
  stdout: Output;
  /** As `stdout`. */
  stderr: Output;
  /** Captured and collected outputs of descriptors given in `fds`, by number. */
  outputs: Record<number, Output>;
  /** What it used: CPU time, wall time, peak memory, most processes. */
  usage: Usage;
  /** The files of `copyOut` that were there, by path. Without a prototype: a name that was not taken has no entry. */
  files: Record<string, OutputFile>;
  /** Files of `copyOut` that could not be taken, and why. Not empty: `file-error`, unless something else decided. */
  fileErrors: FileError[];
  /** What was enforced or measured less well than asked on this machine. Empty when all holds. */
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
      target?: string | undefined;
      writable?: boolean | undefined;
      optional?: boolean | undefined;
      recursive?: boolean | undefined;
      executable?: boolean | undefined;
    }
  /**
   * A private, empty, sized file system, fresh in every sandbox. At the work folder, `/tmp` or `/dev/shm` it takes the place of
   * the one that is there anyway, with these bounds instead of `diskBytes` and `diskFileCount`. Defaults: 128 MiB, 16 384, mode 0o755
   * (`/tmp` and `/dev/shm`: 0o1777).
   */
  | {
      kind: 'tmpfs';
      target: string;
      sizeBytes?: number | undefined;
      inodeCount?: number | undefined;
      mode?: number | undefined;
    }
  | { kind: 'symlink'; target: string; to: string }
  | { kind: 'dir'; target: string; mode?: number | undefined }
  /** A small file with this content. */
  | { kind: 'file'; target: string; text: string; mode?: number | undefined };

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
  /** What it is compared with. */
  value: bigint | number;
  /**
   * Bits that are compared. Default 64. The kernel looks at the low half alone of arguments that are `int` (descriptors, commands,
   * families, flags of many calls): to refuse some of their values give 32, or a program gets past with bits above.
   */
  width?: 32 | 64 | undefined;
}

/** Calls, and what is done with them. */
export interface SeccompRule {
  /** As the kernel names them: `'openat'`. A name that only another architecture knows is passed over. */
  names: readonly string[];
  /** What is done with them. */
  action: SeccompAction;
  /** All must hold. Default: whatever the arguments. */
  args?: readonly SeccompArgument[] | undefined;
}

/**
 * A filter of the caller's on top of ours: of what both say the stricter counts, so it takes calls away and gives none back. The
 * first rule that names a call and whose arguments hold decides, else `defaultAction`. It is loaded right before the program
 * is executed, so `execve` must be allowed.
 */
export interface SeccompPolicy {
  /** Which of ours it stands on, unless a run says another. Default `'default'`. */
  base?: 'default' | 'strict' | undefined;
  /** For calls that no rule names. */
  defaultAction: SeccompAction;
  /** The first that fits decides. */
  rules: readonly SeccompRule[];
}

/** A file of a minimal root that no package brings, with what its content has to be. */
export interface HashedProgram {
  /** Absolute, on the host and inside. */
  path: string;
  /** 64 hexadecimal digits. Default: what a package of the system says of it, else it is taken as it is. */
  sha256?: string | undefined;
}

/**
 * A root made of packages of the system (dpkg: Debian, Ubuntu) and of single programs, instead of the host's whole /usr: copies that
 * are compared with the packages' checksums while they are made. Without set-user-id files, documentation, manual pages, translations.
 */
export interface MinimalRoot {
  /** Names of installed packages. What they depend on comes with them, but for what every system has (`Essential`, `required`): name that. At most 256. */
  packages?: readonly string[] | undefined;
  /** As `packages`, passed over where they are not installed. */
  optionalPackages?: readonly string[] | undefined;
  /** Programs alone, with the libraries and the loader or interpreter that they name: absolute paths, or names on `DEFAULT_ENV.PATH`. At most 256. */
  programs?: readonly (string | HashedProgram)[] | undefined;
}

/** Settings of an engine; all have defaults. */
export interface EngineOptions {
  /** Root seen by programs. Default `DEFAULT_MOUNTS`: the host's /usr, /bin, /lib*, a few files of /etc, all read-only. With a minimal `root`: rows beside it; default none. */
  mounts?: readonly MountRow[] | undefined;
  /**
   * `'host'` (default): the root is what `mounts` says. `'minimal'`: C library, /bin/sh and, where their packages are installed, Python and
   * Node (`MINIMAL_ROOT`), and nothing else of the host's /usr; or a list of your own. It is made when the engine opens, from packages of
   * dpkg, and a file that is not as its package brought it is refused.
   */
  root?: 'host' | 'minimal' | MinimalRoot | undefined;
  /**
   * Folders of the host with toolchains that are not in `/usr/bin`: `['/usr/local/go', '/opt/venv']`. Each is mounted read-only at
   * its own path, and its `bin` (without one the folder itself) comes first in the default PATH, also where a caller's `env` repeats
   * `DEFAULT_ENV.PATH`. Programs run as a user of their own: the folder must be readable for all. At most 32. Default: none.
   */
  toolchains?: readonly string[] | undefined;
  /**
   * Paths inside that are covered: a folder by an empty one, a file by /dev/null. Links are followed, what is not there is
   * passed over. At most 64. Of /proc nothing has to be: it shows a sandbox's own processes alone.
   */
  maskPaths?: readonly string[] | undefined;
  /**
   * `/proc` inside, of the sandbox's own processes alone. `'masked'` (default): read-only. `'writable'`: a process may write what
   * the kernel lets it write of itself. `'none'`: an empty folder; then `/dev/stdin`, `/dev/fd` and their like lead nowhere.
   */
  proc?: ProcMode | undefined;
  /** Host name inside. Default `'sandbox'`. */
  hostname?: string | undefined;
  /** Domain name inside, as `uname` and `domainname` tell it. Default `'(none)'`. */
  domainname?: string | undefined;
  /**
   * User and group id of programs as they see it, 0 to 65 533. Default 1000. With 0 they take themselves for root and have no
   * more rights than otherwise: no capability, also not after exec, and a host id of their own that is not init's.
   */
  insideUid?: number | undefined;
  /** File mode creation mask of programs, and for folders that lead to files put in. Default 0o022. */
  umask?: number | undefined;
  /**
   * Signals that programs start with ignored, as under `nohup`: they stay so until a program asks for another handling. All but
   * `'SIGKILL'` and `'SIGSTOP'`. Default: none.
   */
  ignoredSignals?: readonly NodeJS.Signals[] | undefined;
  /** What a program's signal to pid 1, init, does: fail with EPERM (default), or succeed without being sent. */
  signalsToInit?: 'refuse' | 'ignore' | undefined;
  /** The work folder inside, absolute. Default `'/w'`. */
  workDir?: string | undefined;
  /** One-shot runs at the same time. Default: number of CPUs. More wait in the queue. */
  parallelism?: number | undefined;
  /**
   * Sandboxes alive at the same time, sessions and groups included. Default 256. More are refused with `OverloadedError`. Each takes up to
   * 30 descriptors of the host: where its hard limit (`ulimit -Hn`) has room for fewer, this and `parallelism` are that number, see `info()`.
   */
  maxSandboxes?: number | undefined;
  /** One-shot runs that may wait. Default 512. More are refused with `OverloadedError`. */
  queueLength?: number | undefined;
  /** Sandboxes kept ready for the next run. Default: `parallelism`, at most 16. */
  readyCount?: number | undefined;
  /** Defaults for every program. Merged over `DEFAULT_LIMITS`. */
  limits?: Limits | undefined;
  /** Highest limits a caller may ask for; above is `InvalidOptionsError`, not a silent clamp. Default: none. */
  ceilings?: Limits | undefined;
  /** Cgroup to work in: `'auto'` (default) finds or makes one, `'none'` does without, a path names a delegated one (v2: below /sys/fs/cgroup; v1: the same path in each hierarchy). */
  cgroup?: 'auto' | 'none' | string | undefined;
  /** Guarantees without which opening fails. Default: all of `FEATURES` but `distinct-users`, `swap-limit`, `cpu-set`, `cpu-rate`, `cpu-weight`, and those that only other options here ask for (`landlock`, `core-scheduling`). An empty list accepts anything. */
  require?: readonly Feature[] | undefined;
  /** First host uid (= gid) for sandboxes, when run as root. Default: a random block in 1 879 048 192–2 147 483 646, which no distribution assigns. */
  uidBase?: number | undefined;
  /**
   * Also binds programs by Landlock, the second wall around files: they read and execute what they see and write where a sandbox has
   * something of its own. Programs of one session then do not see each other in /proc. Default: where the kernel has it (Linux
   * 5.19 or newer, switched on). `true`: a kernel without it is refused, unless `require` is given and leaves `'landlock'` out.
   * `false`: never.
   */
  landlock?: boolean | undefined;
  /**
   * Hyper-threads of a core are never shared between a sandbox and anything else while it runs. Where the kernel cannot do it
   * (CONFIG_SCHED_CORE; no hyper-threads), refused as above with `'core-scheduling'`. Default false.
   */
  coreScheduling?: boolean | undefined;
  /**
   * `'sandbox'`: each sandbox in use has one CPU, the one that the fewest others have, unless its run asks for a `cpuSet` of its
   * own. Needs `'cpu-set'`, else refused as above. Default `'none'`.
   */
  pinning?: 'none' | 'sandbox' | undefined;
  /** System call filter of its sandboxes, which a run's own `seccomp` can change between `'default'` and `'strict'`; a policy stays in any case. */
  seccomp?: 'default' | 'strict' | SeccompPolicy | undefined;
  /**
   * System calls that the default filter refuses and that programs of this engine may make all the same; with `'strict'` they stay refused.
   * `'ptrace'`: the requests of a leak checker (programs built with `-fsanitize=address`), on processes of the same sandbox, never
   * on init; as an ordinary user it stays refused, init being that user, too. `'seccomp'`: filters of their own (browsers,
   * `man`). `'io_setup'`: asynchronous requests (databases). docs/security.md says what each costs. Default: none.
   */
  allowSyscalls?: readonly AllowableSyscall[] | undefined;
}

/** What is enforced, by which mechanism. Frozen, and the same for each who asks. */
export interface EngineInfo {
  /** Of this package. */
  readonly version: string;
  /** Release of the running kernel. */
  readonly kernel: string;
  /** `path`: the folder that the engine's own is made in. */
  readonly cgroup: {
    readonly version: 'v1' | 'v2' | 'hybrid' | 'none';
    readonly path: string | null;
    readonly controllers: readonly string[];
    readonly reason: string | null;
  };
  /** As root, with a block of user ids for sandboxes from `uidBase` on; or rootless, in user namespaces. */
  readonly user: { readonly mode: 'root' | 'rootless'; readonly uidBase: number | null };
  /** Each guarantee: whether it holds here, by which mechanism, and if not, why. */
  readonly features: Readonly<
    Record<
      Feature,
      { readonly available: boolean; readonly mechanism: string | null; readonly reason: string | null }
    >
  >;
  /** One-shot runs at the same time. */
  readonly parallelism: number;
  /** Sandboxes alive at the same time. */
  readonly maxSandboxes: number;
  /** One-shot runs that may wait. */
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
  /** Helper processes that were started in the place of one that had died. */
  helperRestartsTotal: number;
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
  /** The program, as for `Engine.run`. */
  file: string;
  /** Its arguments. Default: none. */
  args?: readonly string[] | undefined;
}

/**
 * A pipe between two programs of a group: descriptor `fd` of `programs[index]`. Programs that plain pipes join in a circle, as
 * two that ask and answer, are held on one CPU now and then, for 20 ms, where that makes them no slower.
 */
export interface GroupPipe {
  /** The writing end: index in `programs`, and its descriptor there. */
  from: { index: number; fd: number };
  /** The reading end. */
  to: { index: number; fd: number };
  /**
   * Pass the bytes through the host, keep the first `maxBytes` of them and return them in `recordings` of the result. When its
   * reader is gone, the writer gets EPIPE as from a plain pipe; with `drain` it can go on writing, and what it writes is
   * dropped, recorded and counted all the same. Default: a plain kernel pipe, up to ten times as fast for lines to and fro.
   */
  record?: { maxBytes: number; drain?: boolean | undefined } | undefined;
  /** As `record`, but nothing is kept. Excludes it. */
  relay?: true | { drain?: boolean | undefined } | undefined;
}

/** Programs that run at the same time, and the pipes between them. */
export interface GroupRequest {
  /** Each in a fresh sandbox of its own. */
  programs: readonly GroupProgram[];
  /** Between descriptors of them. Default: none. */
  pipes?: readonly GroupPipe[] | undefined;
  /**
   * What becomes of the others when one cannot be started or its sandbox fails: `'all'` (default) ends them and rejects with
   * the reason; `'each'` lets them go on, and its ends of pipes are closed (`EachGroupRequest`).
   */
  settle?: 'all' | undefined;
  /** Abort kills all programs, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
  /** As `ProgramOptions.onAbort`, for all. With `settle: 'each'` programs that were not started yet have an `SBX_ABORTED` in `errors`. */
  onAbort?: 'reject' | 'resolve' | undefined;
}

/** A group whose programs are judged each for itself. */
export interface EachGroupRequest extends Omit<GroupRequest, 'settle'> {
  /** Each is judged for itself. */
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
  /** `'other'`: a socket, a pipe, a device. */
  kind: 'file' | 'dir' | 'symlink' | 'other';
  /** Of the content; of a link, of what it says. */
  sizeBytes: number;
  /** Permission bits. */
  mode: number;
  /** Time of the last change, in ms since 1970. */
  modifiedMs: number;
}
