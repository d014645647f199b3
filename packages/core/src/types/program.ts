/** How one program is started. */
import type { SyscallFamily } from '../native/tables.js';
import type { CopyOut, FileInput } from './files.js';
import type { Limits } from './limits.js';
import type { FdSpec, InputSpec, OutputSpec, PtyOptions } from './stdio.js';

/** An environment by names, or as the strings that a program gets. */
export type Environment = Readonly<Record<string, string>> | readonly string[];

/**
 * How one program is started. Options are read until it has been, which may be after a wait in the queue:
 * leave them, and the list of arguments, unchanged until then.
 */
export interface ProgramOptions {
  /** What it reads. Default `'empty'`: end of file at once. */
  stdin?: InputSpec | undefined;
  /** Where its output goes. Default `'capture'`: into the result. */
  stdout?: OutputSpec | undefined;
  /** `'stdout'` sends stderr where stdout goes, merged by the kernel in order. */
  stderr?: OutputSpec | 'stdout' | undefined;
  /**
   * More descriptors, by number from 0 to 255; 0 to 2 take the place of stdin, stdout and stderr. Outputs
   * captured or collected here come back in `RunResult.outputs`. 48 descriptors in all.
   */
  fds?: Record<number, FdSpec> | undefined;
  /** A terminal; excludes stdin, stdout and stderr. Output comes on `stdout`. */
  pty?: PtyOptions | undefined;
  /**
   * The whole environment. Default `DEFAULT_ENV` (PATH, HOME, LANG). Nothing of the host is passed. An array
   * has the strings as the program gets them, usually `NAME=value`, duplicates and all; of several `PATH=`
   * the last is where programs are looked for.
   */
  env?: Environment | undefined;
  /**
   * Where a file without a slash is looked for. `'path'` (default): in each folder of PATH, and where env has
   * none in the working folder. `'cwd-first'`: in the working folder, then in PATH (an empty element is the
   * working folder, an empty PATH nothing); the first that is executable and no folder is taken, and its path
   * takes the place of argv[0].
   */
  lookup?: 'path' | 'cwd-first' | undefined;
  /** Working folder inside the sandbox; relative paths start at the work folder. Default `'/w'`. */
  cwd?: string | undefined;
  /**
   * What the program is written in or runs on: with the strict filter it can make the calls of that family
   * alone (docs/security.md), any other fails with EPERM. Without the strict filter it says nothing. Default
   * `'any'`: the calls of all families.
   */
  seccompFamily?: SyscallFamily | undefined;
  /** What it may use. Default: the sandbox’s, else the engine’s, else `DEFAULT_LIMITS`. */
  limits?: Limits | undefined;
  /** Abort kills the program and all it started, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
  /**
   * What an abort by `signal` comes to once the program runs: `'reject'` (default) with `signal.reason`;
   * `'resolve'` with the result as it is (status `killed`, usage, outputs, files). Before the program was
   * started an abort always rejects.
   */
  onAbort?: 'reject' | 'resolve' | undefined;
  /** On `kill()`, abort and close: time between SIGTERM and SIGKILL, in ms. Default 0. */
  killGraceMs?: number | undefined;
}

/** Options of the one-shot form: a program, its files, and what is wanted back. */
export interface RunOptions extends ProgramOptions {
  /**
   * Files put into the sandbox before the start, over those that outputs have made; parents are created.
   * Paths start at the work folder; absolute ones name a place in it, in /tmp, /dev/shm or a `tmpfs` row.
   * Links on the way are followed within these, one at the end is not.
   */
  files?: Record<string, FileInput | string | Uint8Array> | undefined;
  /**
   * Files taken out after every process of this program has ended; in a session others may still live. Paths
   * as in `files`.
   */
  copyOut?: readonly CopyOut[] | undefined;
  /** Bytes taken out per file at the most, unless the entry says its own. Default 64 MiB. */
  copyOutMaxBytes?: number | undefined;
  /**
   * Bytes that `copyOut` and outputs with `collect` may bring out together, each file counted as often as it
   * is named and with 4 KiB at least; behind a descriptor (`as: 'fd'`) by the blocks it has, and a quarter of
   * its size at least. A file that does not fit is a `FileError` (`too-large`), a collected output is cut.
   * Default: no such bound.
   */
  copyOutTotalBytes?: number | undefined;
  /**
   * Called for each chunk as it comes (it is captured as well). A throw or rejection ends the run and rejects
   * it. Nothing waits for a promise of it: one that rejects after the end of the program is passed over.
   */
  onStdout?: ((chunk: Uint8Array) => unknown) | undefined;
  /** As `onStdout`, for stderr. */
  onStderr?: ((chunk: Uint8Array) => unknown) | undefined;
}

/** Settings of `engine.runMany`. */
export interface RunManyOptions {
  /**
   * Runs at the same time, 1 to 4096. Default: the engine's `parallelism`. Never more than it and
   * `queueLength` together.
   */
  concurrency?: number | undefined;
  /**
   * What becomes of the others when one run rejects or its request is refused: `'all'` (default) ends them,
   * and the whole rejects with the reason; `'each'` lets them go on (`EachRunManyOptions`).
   */
  settle?: 'all' | undefined;
  /** Abort kills what runs, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** Settings of an `engine.runMany` whose runs are judged each for itself. */
export interface EachRunManyOptions extends Omit<RunManyOptions, 'settle'> {
  /**
   * Each run gives what `Promise.allSettled` tells of a promise: `{ status: 'fulfilled', value }` or
   * `{ status: 'rejected', reason }`. The whole rejects by `signal`, by what the source of the requests
   * throws, and once the engine is closed.
   */
  settle: 'each';
}

/** What is decided when a sandbox is made, not per program. */
export interface SandboxShape {
  /**
   * `false` (default): no interface is up. `'loopback'`: 127.0.0.1 and ::1 work, inside this sandbox alone;
   * of one that stays `connect` and `expose` lead there.
   */
  network?: false | 'loopback' | undefined;
  /**
   * System call filter: `'default'` is the deny-list of docs/security.md; `'strict'` lets through what
   * programs of a language call (`seccompFamily`), no locks, leases, inotify, `sync`, and of sockets AF_UNIX
   * alone, and has the CPU guess less, which costs CPU time (docs/second-wall.md).
   */
  seccomp?: 'default' | 'strict' | undefined;
  /**
   * What a refused system call does: fail with an errno (default) or kill the program (`forbidden-syscall`).
   */
  seccompAction?: 'errno' | 'kill' | undefined;
}
