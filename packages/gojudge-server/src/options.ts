/** Options of `createGojudgeServer`, checked; and their way to settings. Unknown ones are errors. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { type EngineOptions, isRunner, type Runner, type RunObserver, type SeccompPolicy } from '@sbx/core';
import { checkOptions } from '@sbx/serving';
import * as z from 'zod';
import { type Given, type Renamed, withoutFormerNames } from './former-names.js';
import { BUILD_VERSION } from './version.js';

const MiB = 2 ** 20;
const count = z.int().min(0);
const bytes = z.int().min(0);
const listOfText = z.array(z.string());

/** mount.yaml as data; see `parseMountConf`. */
export const MOUNT_CONF = z.object({
  mount: z
    .array(
      z.object({
        type: z.enum(['bind', 'tmpfs']),
        source: z.string().default(''),
        target: z.string(),
        readonly: z.boolean().default(false),
        data: z.string().default(''),
      }),
    )
    .nullish(),
  symLink: z.array(z.object({ linkPath: z.string(), target: z.string() })).nullish(),
  maskPath: listOfText.nullish(),
  proc: z.boolean().nullish(),
  procrw: z.boolean().nullish(),
  workDir: z.string().nullish(),
  hostName: z.string().nullish(),
  domainName: z.string().nullish(),
  uid: z.int().nullish(),
  gid: z.int().nullish(),
  initCmd: z
    .literal('', {
      error: 'is not supported: every run has a fresh sandbox, so put what it makes into the mounts',
    })
    .nullish(),
});
/** What mount.yaml says; keys as in the file. What is left out is as go-judge has it built in. */
export interface MountConf {
  /** In place of the built-in mounts. */
  mount?:
    | {
        type: 'bind' | 'tmpfs';
        /** Path on the host; left out without an error where it is missing. */
        source?: string;
        target: string;
        readonly?: boolean;
        /** Of tmpfs: `size=128m,nr_inodes=4k`. */
        data?: string;
      }[]
    | null;
  /** Links to make. */
  symLink?: { linkPath: string; target: string }[] | null;
  /** Paths to hide. */
  maskPath?: string[] | null;
  /** Mount /proc. */
  proc?: boolean | null;
  /** Mount it writable. */
  procrw?: boolean | null;
  /** Working folder of programs. */
  workDir?: string | null;
  /** Host name inside. */
  hostName?: string | null;
  /** Domain name inside. */
  domainName?: string | null;
  /** User id that programs see, with `containerCredStart`. */
  uid?: number | null;
  /** Group id, likewise. */
  gid?: number | null;
  /** Not supported: refused unless empty. */
  initCmd?: '' | null;
}

/** `MountConf` after defaults. */
export type ResolvedMountConf = z.output<typeof MOUNT_CONF>;

const OPTIONS = z.strictObject({
  host: z.string().min(1).optional(),
  port: z.int().min(0).max(65_535).optional(),
  httpAddr: z.string().optional(),
  monitorAddr: z.string().default('localhost:5052'),
  enableMetrics: z.boolean().default(false),
  enableDebug: z.boolean().default(false),
  token: z.string().min(1).nullish(),
  authToken: z.string().nullish(),
  parallelism: count.default(availableParallelism()),
  cpuSets: listOfText.default([]),
  queueLength: count.default(512),
  preFork: count.default(1),
  dir: z.string().nullable().default(null),
  fileTimeoutMs: z.number().min(0).default(0),
  storeMaxBytes: bytes.default(8 * 2 ** 30),
  storeMaxCount: count.default(65_536),
  srcPrefix: listOfText.default([]),
  allowedOrigins: listOfText.nullish(),
  allowOrigins: listOfText.nullish(),
  allowedHosts: listOfText.nullish(),
  allowHosts: listOfText.nullish(),
  extraMemoryBytes: bytes.default(16 * 1024),
  outputLimitBytes: bytes.default(256 * MiB),
  copyOutLimitBytes: bytes.default(256 * MiB),
  copyOutTotalBytes: bytes.default(256 * MiB),
  openFileLimit: z.int().min(4).default(256),
  enableCpuRate: z.boolean().default(false),
  timeLimitCheckerIntervalMs: z.number().min(1).default(100),
  containerCredStart: count.default(0),
  noFallback: z.boolean().default(false),
  cgroup: z.string().default('auto'),
  tmpFsParam: z.string().default('size=128m,nr_inodes=4k'),
  mountConf: MOUNT_CONF.nullable().default(null),
  root: z.custom<NonNullable<EngineOptions['root']>>().default('host'),
  seccomp: z.custom<SeccompPolicy>().nullable().default(null),
  compat: z.enum(['default', 'strict']).default('default'),
  advertiseVersion: z
    .string()
    .regex(/^v\d+\.\d+\.\d+([-+.][\w.+-]*)?$/, { error: 'must be a version such as v1.12.2' })
    .default(BUILD_VERSION),
  bodyMaxBytes: bytes.default(256 * MiB),
  frameMaxBytes: bytes.default(256 * MiB),
  receiveTotalBytes: bytes.default(512 * MiB),
  cmdCountMax: z.int().min(1).default(64),
  collectMaxBytes: bytes.default(256 * MiB),
  shutdownMs: z.number().min(0).default(3000),
  engine: z.custom<Runner>(isRunner).optional(),
  observer: z.custom<RunObserver>((value) => typeof value === 'object' && value !== null).optional(),
});

/** Options after defaults. */
export type ResolvedOptions = Omit<z.output<typeof OPTIONS>, keyof Given> & Renamed;

/** Options of `createGojudgeServer`; flags of go-judge under their own names, units last. */
export interface GojudgeServerOptions {
  /** Where `listen()` listens; `localhost` is every loopback address. Default `'localhost'`. */
  host?: string | undefined;
  /** Port of `listen()`; 0 takes a free one. Default 5050. */
  port?: number | undefined;
  /**
   * @deprecated Former name of `host` and `port`, as Go writes both: `'localhost:5050'`, `':5050'` for every
   * address.
   */
  httpAddr?: string | undefined;
  /** Where metrics and health are, when enabled. Default `'localhost:5052'`. */
  monitorAddr?: string | undefined;
  /** `/metrics` on the monitor address. Default false. */
  enableMetrics?: boolean | undefined;
  /** Opens the monitor address for health alone. Default false. */
  enableDebug?: boolean | undefined;
  /** Bearer token that requests must bring; `null` (default): none. */
  token?: string | null | undefined;
  /** @deprecated Former name of `token`; empty is none. */
  authToken?: string | null | undefined;
  /** Requests run at the same time. Default: number of CPUs. */
  parallelism?: number | undefined;
  /** One CPU list per worker; their number replaces `parallelism`. */
  cpuSets?: string[] | undefined;
  /** Requests that may wait. Default 512; more are refused. */
  queueLength?: number | undefined;
  /** Sandboxes made at the start. Default 1. */
  preFork?: number | undefined;
  /**
   * Folder of stored files, which survive a restart with their names. `null` (default): memory-backed,
   * removed on close.
   */
  dir?: string | null | undefined;
  /** Stored files go when unused for so long. Default 0: never. */
  fileTimeoutMs?: number | undefined;
  /** Bytes of all stored files. Default 8 GiB. */
  storeMaxBytes?: number | undefined;
  /** Number of stored files. Default 65 536. */
  storeMaxCount?: number | undefined;
  /**
   * Folders that `src` may name files in, besides `/dev/null`. `'/'` is all of the host. Default: none; with
   * `compat: 'strict'` all.
   */
  srcPrefix?: string[] | undefined;
  /**
   * Origins of web pages that may connect; programs send none. Others get 403. `null` (default): on loopback,
   * without a token, those of this machine, else all; with `compat: 'strict'` all.
   */
  allowedOrigins?: string[] | null | undefined;
  /** @deprecated Former name of `allowedOrigins`. */
  allowOrigins?: string[] | null | undefined;
  /**
   * Names, without port, that requests may call this server by, against DNS rebinding. `null` (default): all.
   * Others get 403.
   */
  allowedHosts?: string[] | null | undefined;
  /** @deprecated Former name of `allowedHosts`. */
  allowHosts?: string[] | null | undefined;
  /** Added to `memoryLimit` for what the kernel enforces. Default 16 KiB. */
  extraMemoryBytes?: number | undefined;
  /** Largest file a program may write. Default 256 MiB. */
  outputLimitBytes?: number | undefined;
  /** `copyOutMax` of requests that name none. Default 256 MiB. */
  copyOutLimitBytes?: number | undefined;
  /**
   * Bytes that all programs of a request bring into its answer and the store together: each file as often as
   * it is named; in the store a file with holes by its blocks. Beyond: File Error. Default 256 MiB.
   */
  copyOutTotalBytes?: number | undefined;
  /** Open descriptors of a process. Default 256. */
  openFileLimit?: number | undefined;
  /** Honour `cpuRateLimit`. Default false. */
  enableCpuRate?: boolean | undefined;
  /**
   * 0 (default): programs see themselves as uid 0, else as the `uid` of mount.yaml. What they may do is the
   * same.
   */
  containerCredStart?: number | undefined;
  /** With `compat: 'strict'`: limits of time strike at multiples of this. Default 100. */
  timeLimitCheckerIntervalMs?: number | undefined;
  /** Refuse to start where limits cannot be enforced by cgroups. Default false. */
  noFallback?: boolean | undefined;
  /** As of `EngineOptions`. Default `'auto'`. */
  cgroup?: string | undefined;
  /** Size of the work folder and of /tmp, as tmpfs takes it. Default `'size=128m,nr_inodes=4k'`. */
  tmpFsParam?: string | undefined;
  /** mount.yaml as data. Default: go-judge's built-in mounts. */
  mountConf?: MountConf | null | undefined;
  /**
   * As of `EngineOptions`: with a minimal one go-judge's own rows for folders of the host (/usr, /bin, /lib
   * and their like) are left out, and `mountConf` is refused, which says the root itself. Default `'host'`.
   */
  root?: EngineOptions['root'] | undefined;
  /** System calls of programs, on top of the engine's own filter. `null` (default): nothing on top. */
  seccomp?: SeccompPolicy | null | undefined;
  /** `'strict'`: literal go-judge where a deviation of ours can be observed. */
  compat?: 'default' | 'strict' | undefined;
  /**
   * What `/version` says as `buildVersion`, for clients that compare it. Default: the go-judge whose
   * behaviour this is.
   */
  advertiseVersion?: string | undefined;
  /** Bytes of a request's JSON. Default 256 MiB. */
  bodyMaxBytes?: number | undefined;
  /** Bytes of a WebSocket message. Default 256 MiB. */
  frameMaxBytes?: number | undefined;
  /**
   * Bytes of all requests and messages that have not come whole. Default 512 MiB; what finds no room is
   * refused.
   */
  receiveTotalBytes?: number | undefined;
  /** Programs of one request. Default 64. */
  cmdCountMax?: number | undefined;
  /** Bytes kept in memory of one collector or proxy, whatever its `max`. Default 256 MiB. */
  collectMaxBytes?: number | undefined;
  /** How long `close()` waits for running requests before it kills them. Default 3000. */
  shutdownMs?: number | undefined;
  /**
   * An engine of the caller's, which stays open; mounts and names are its own then. Or another runner, such
   * as that of `@sbx/cluster`: it refuses `/stream` with several programs.
   */
  engine?: Runner | undefined;
  /** Is called when a run ends, and at the start of one over `/stream`, for live views. Default: none. */
  observer?: RunObserver | undefined;
}

/** Throws `InvalidOptionsError` for the first thing that is wrong. */
export function parseOptions(options: GojudgeServerOptions): ResolvedOptions {
  return withoutFormerNames(checkOptions(OPTIONS, options));
}

/** RLIMIT_STACK of this process, which programs without a limit of their own inherit; `null` for none. */
export function ownStackBytes(): number | null {
  const match = /^Max stack size\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  const bytesOrUnlimited = match?.[1] ?? 'unlimited';
  return bytesOrUnlimited === 'unlimited' ? null : Number(bytesOrUnlimited);
}
