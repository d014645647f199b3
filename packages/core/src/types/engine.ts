/** Settings of an engine, and what it says of itself. */
import type { AllowableSyscall, ProcMode } from '../native/tables.js';
import type { Feature, Limits, Status } from './limits.js';
import type { MinimalRoot, MountRow } from './mounts.js';
import type { SeccompPolicy } from './seccomp.js';

/** Settings of an engine; all have defaults. */
export interface EngineOptions {
  /**
   * Root seen by programs. Default `DEFAULT_MOUNTS`: the host's /usr, /bin, /lib*, a few files of /etc, all
   * read-only. With a minimal `root`: rows beside it; default none.
   */
  mounts?: readonly MountRow[] | undefined;
  /**
   * `'host'` (default): the root is what `mounts` says. `'minimal'`: C library, /bin/sh and, where their
   * packages are installed, Python and Node (`MINIMAL_ROOT`), and nothing else of the host's /usr; or a list
   * of your own. It is made when the engine opens, from packages of dpkg, and a file that is not as its
   * package brought it is refused.
   */
  root?: 'host' | 'minimal' | MinimalRoot | undefined;
  /**
   * Folders of the host with toolchains that are not in `/usr/bin`: `['/usr/local/go', '/opt/venv']`. Each is
   * mounted read-only at its own path, and its `bin` (without one the folder itself) comes first in the
   * default PATH, also where a caller's `env` repeats `DEFAULT_ENV.PATH`. Programs run as a user of their
   * own: the folder must be readable for all. At most 32. Default: none.
   */
  toolchains?: readonly string[] | undefined;
  /**
   * Paths inside that are covered: a folder by an empty one, a file by /dev/null. Links are followed, what is
   * not there is passed over. At most 64. Of /proc nothing has to be: it shows a sandbox's own processes
   * alone.
   */
  maskPaths?: readonly string[] | undefined;
  /**
   * `/proc` inside, of the sandbox's own processes alone. `'masked'` (default): read-only. `'writable'`: a
   * process may write what the kernel lets it write of itself. `'none'`: an empty folder; then `/dev/stdin`,
   * `/dev/fd` and their like lead nowhere.
   */
  proc?: ProcMode | undefined;
  /** Host name inside. Default `'sandbox'`. */
  hostname?: string | undefined;
  /** Domain name inside, as `uname` and `domainname` tell it. Default `'(none)'`. */
  domainname?: string | undefined;
  /**
   * User and group id of programs as they see it, 0 to 65 533. Default 1000. With 0 they take themselves for
   * root and have no more rights than otherwise: no capability, also not after exec, and a host id of their
   * own that is not init's.
   */
  insideUid?: number | undefined;
  /** File mode creation mask of programs, and for folders that lead to files put in. Default 0o022. */
  umask?: number | undefined;
  /**
   * Signals that programs start with ignored, as under `nohup`: they stay so until a program asks for another
   * handling. All but `'SIGKILL'` and `'SIGSTOP'`. Default: none.
   */
  ignoredSignals?: readonly NodeJS.Signals[] | undefined;
  /**
   * What a program's signal to pid 1, init, does: fail with EPERM (default), or succeed without being sent.
   */
  signalsToInit?: 'refuse' | 'ignore' | undefined;
  /** The work folder inside, absolute. Default `'/w'`. */
  workDir?: string | undefined;
  /** One-shot runs at the same time. Default: `availableCpus()`. More wait in the queue. */
  parallelism?: number | undefined;
  /**
   * Sandboxes alive at the same time, sessions and groups included. Default 256. More are refused with
   * `OverloadedError`. Each takes up to 30 descriptors of the host: where its hard limit (`ulimit -Hn`) has
   * room for fewer, this and `parallelism` are that number, see `info()`.
   */
  maxSandboxes?: number | undefined;
  /** One-shot runs that may wait. Default 512. More are refused with `OverloadedError`. */
  queueLength?: number | undefined;
  /** Sandboxes kept ready for the next run. Default: `parallelism`, at most 16. */
  readyCount?: number | undefined;
  /** Defaults for every program. Merged over `DEFAULT_LIMITS`. */
  limits?: Limits | undefined;
  /**
   * Highest limits a caller may ask for; above is `InvalidOptionsError`, not a silent clamp. Default: none.
   */
  ceilings?: Limits | undefined;
  /**
   * Cgroup to work in: `'auto'` (default) finds or makes one, `'none'` does without, a path names a delegated
   * one (v2: below /sys/fs/cgroup; v1: the same path in each hierarchy).
   */
  cgroup?: 'auto' | 'none' | string | undefined;
  /**
   * Guarantees without which opening fails. Default: all of `FEATURES` but `distinct-users`, `memory-peak`,
   * `process-peak`, `swap-limit`, `kernel-memory-limit`, `cpu-set`, `cpu-rate`, `cpu-weight`, and those that
   * only other options here ask for (`landlock`, `core-scheduling`). An empty list accepts anything.
   */
  require?: readonly Feature[] | undefined;
  /**
   * First host uid (= gid) for sandboxes, when run as root. Default: a random block in 1 879 048 192–2 147
   * 483 646, which no distribution assigns, and no other engine of this network namespace has.
   */
  uidBase?: number | undefined;
  /**
   * Also binds programs by Landlock, the second wall around files: they read and execute what they see and
   * write where a sandbox has something of its own. Programs of one session then do not see each other in
   * /proc. Default: where the kernel has it (Linux 5.19 or newer, switched on). `true`: a kernel without it
   * is refused, unless `require` is given and leaves `'landlock'` out. `false`: never.
   */
  landlock?: boolean | undefined;
  /**
   * Hyper-threads of a core are never shared between a sandbox and anything else while it runs. Where the
   * kernel cannot do it (CONFIG_SCHED_CORE; no hyper-threads), refused as above with `'core-scheduling'`.
   * Default false.
   */
  coreScheduling?: boolean | undefined;
  /**
   * `'sandbox'`: each sandbox in use has one CPU, the one that the fewest others have, unless its run asks
   * for a `cpuSet` of its own. Needs `'cpu-set'`, else refused as above. Default `'none'`.
   */
  pinning?: 'none' | 'sandbox' | undefined;
  /**
   * System call filter of its sandboxes, which a run's own `seccomp` can change between `'default'` and
   * `'strict'`; a policy stays in any case.
   */
  seccomp?: 'default' | 'strict' | SeccompPolicy | undefined;
  /**
   * System calls that the default filter refuses and that programs of this engine may make all the same; with
   * `'strict'` they stay refused. `'ptrace'`: the requests of a leak checker (programs built with
   * `-fsanitize=address`), on processes of the same sandbox, never on init; as an ordinary user it stays
   * refused, init being that user, too. `'seccomp'`: filters of their own (browsers, `man`). `'io_setup'`:
   * asynchronous requests (databases). docs/security.md says what each costs. Default: none.
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
