/** Limits of a program, what it used of them, and how it can end. */

/**
 * What a program may use. `undefined` takes the engine's default (`DEFAULT_LIMITS`), `null` means no limit. A
 * limit that the machine cannot enforce is listed in `RunResult.degraded`, or refused when the engine
 * requires it.
 */
export interface Limits {
  /**
   * CPU time, user + system, of the program and all its descendants, in ms. Over it: killed, `cpu-limit`.
   * Default 10 000. Killed within 10 ms of it.
   */
  cpuTimeMs?: number | null | undefined;
  /**
   * Wall time from start to end of the program, in ms. Over it: killed, `wall-limit`. Default 30 000. Killed
   * within 10 ms of it.
   */
  wallTimeMs?: number | null | undefined;
  /**
   * Memory of all processes together, swap, tmpfs, shared memory and pipe buffers included, in bytes. Over
   * it: killed, `memory-limit`. As much again of what the kernel counts for nobody, such as record locks.
   * Default 256 MiB.
   */
  memoryBytes?: number | null | undefined;
  /**
   * Processes and threads alive at once. At the limit `fork` fails with EAGAIN: the program decides what that
   * means. Default 64.
   */
  processCount?: number | null | undefined;
  /**
   * Bytes of captured output, each captured descriptor (a terminal too) for itself. Over it: killed,
   * `output-limit`, and the output is cut at the limit. Default 1 MiB. Not applied to `'pipe'`, where back
   * pressure bounds.
   */
  outputBytes?: number | null | undefined;
  /**
   * Size of any single file the program writes, in bytes (RLIMIT_FSIZE). Over it: SIGXFSZ, `output-limit`.
   * Default 64 MiB.
   */
  fileBytes?: number | null | undefined;
  /**
   * Open descriptors per process (RLIMIT_NOFILE). At the limit `open` fails with EMFILE. Default 256. At most
   * the host's own hard limit, as an ordinary user less than that (docs/limits.md); `null` gives as many.
   */
  openFileCount?: number | null | undefined;
  /**
   * Stack of the main thread, in bytes (RLIMIT_STACK). Over it: SIGSEGV, `signal`. Default 64 MiB. `null`:
   * unlimited, bounded by memory.
   */
  stackBytes?: number | null | undefined;
  /**
   * Address space per process, in bytes (RLIMIT_AS). Default `null`: a poor measure of memory, here for those
   * who need it.
   */
  addressSpaceBytes?: number | null | undefined;
  /**
   * Data per process: heap, anonymous private mappings, writable data of the file; in bytes (RLIMIT_DATA). At
   * the limit allocation fails; a program with more than that in its file dies in exec, `signal`. Default
   * `null`.
   */
  dataBytes?: number | null | undefined;
  /**
   * Size of the work folder, of /tmp and of /dev/shm, in bytes, each for itself. At the limit `write` fails
   * with ENOSPC. Default 128 MiB. Fixed when the sandbox is made.
   */
  diskBytes?: number | null | undefined;
  /**
   * Number of files and folders in the work folder, in /tmp and in /dev/shm, each for itself. At the limit
   * `open` fails with ENOSPC. Default 16 384. Fixed when the sandbox is made.
   */
  diskFileCount?: number | null | undefined;
  /**
   * CPUs' worth of time per wall second: 0.5 is half a CPU, 2 is two CPUs. Default `null`: as many as there
   * are.
   */
  cpuRate?: number | null | undefined;
  /**
   * Share of the CPU when others want it too, beside the engine's other sandboxes: 200 gets twice as much as
   * 100. Default `null`: none, which counts as 100.
   */
  cpuWeight?: number | null | undefined;
  /** CPUs it may run on, as a list of numbers and ranges (`'0-1,3'`). Default `null`: all of the engine's. */
  cpuSet?: string | null | undefined;
}

/**
 * All ways a program can end. The order of decision is the table in `run/verdict.ts`, documented in
 * docs/limits.md.
 */
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
  /**
   * High-water mark of the whole group: anonymous, tmpfs, shared memory, pipes, page tables. Where the kernel
   * keeps none, the most that was seen, and `degraded` names `memory-peak`. `null` when nothing could measure
   * it.
   */
  memoryPeakBytes: number | null;
  /**
   * Caches of files that are charged at the end, or now for a living program, in bytes: memory that the
   * kernel would have dropped for the asking. Pages of files, and at the end names and inodes too. `null`
   * where nobody looked: at the end of a program whose peak was below half of `memoryBytes`.
   */
  fileCacheBytes: number | null;
  /** Most processes and threads alive at once. `null` when nothing could measure it. */
  processPeakCount: number | null;
}

/** Usage of a living program; see `Process.usage()`. */
export interface LiveUsage extends Usage {
  /**
   * Memory held now, file cache left out, in bytes; 0 after the end. `null` when nothing could measure it.
   */
  memoryBytes: number | null;
}

/** Something that was enforced or measured less well than asked, and why. */
export interface Degradation {
  /** The guarantee: a limit's name, a figure's name, or a mechanism. */
  feature: Feature;
  /** One sentence for a person. */
  reason: string;
}

/**
 * Guarantees that can be missing on a machine; the values of `EngineOptions.require` and
 * `Degradation.feature`.
 */
export const FEATURES = [
  'cpu-accounting', // CPU time of the whole tree by cgroup
  'memory-limit', // memory of the whole tree by cgroup
  'kernel-memory-limit', // it holds for what the kernel takes for programs, too: its objects, and sockets
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
