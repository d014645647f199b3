/** Options of `createGojudgeServer`, checked; and their way to settings. Unknown ones are errors. */
import { readFileSync } from 'node:fs';
import {
  availableCpus,
  type EngineOptions,
  isRunner,
  type Runner,
  type RunObserver,
  type SeccompPolicy,
} from '@sbx/core';
import { checkOptions, isOrigin, ORIGIN_EXPECTED } from '@sbx/serving';
import * as z from 'zod/mini';
import { MOUNT_CONF, type MountConf } from './config/mount-conf.js';
import { type Given, type Renamed, withoutFormerNames } from './former-names.js';
import { BUILD_VERSION } from './version.js';

const MiB = 2 ** 20;
const count = z.int().check(z.minimum(0));
const bytes = count;
const text = z.string().check(z.minLength(1));
const listOfText = z.array(z.string());
const origins = z.array(z.string().check(z.refine(isOrigin, ORIGIN_EXPECTED)));
const timeMs = (min: number) => z.number().check(z.minimum(min));

const OPTIONS = z.strictObject({
  host: z.optional(text),
  port: z.optional(z.int().check(z.minimum(0), z.maximum(65_535))),
  httpAddr: z.optional(z.string()),
  monitorAddr: z._default(z.string(), 'localhost:5052'),
  enableMetrics: z._default(z.boolean(), false),
  enableDebug: z._default(z.boolean(), false),
  token: z.nullish(text),
  authToken: z.nullish(z.string()),
  parallelism: z._default(count, availableCpus),
  cpuSets: z._default(listOfText, []),
  queueLength: z._default(count, 512),
  preFork: z._default(count, 1),
  dir: z._default(z.nullable(z.string()), null),
  fileTimeoutMs: z._default(timeMs(0), 0),
  storeMaxBytes: z._default(bytes, 8 * 2 ** 30),
  storeMaxCount: z._default(count, 65_536),
  srcPrefix: z._default(listOfText, []),
  allowedOrigins: z.nullish(origins),
  allowOrigins: z.nullish(origins),
  allowedHosts: z.nullish(listOfText),
  allowHosts: z.nullish(listOfText),
  extraMemoryBytes: z._default(bytes, 16 * 1024),
  outputLimitBytes: z._default(bytes, 256 * MiB),
  copyOutLimitBytes: z._default(bytes, 256 * MiB),
  copyOutTotalBytes: z._default(bytes, 256 * MiB),
  openFileLimit: z._default(z.int().check(z.minimum(4)), 256),
  enableCpuRate: z._default(z.boolean(), false),
  timeLimitCheckerIntervalMs: z._default(timeMs(1), 100),
  containerCredStart: z._default(count, 0),
  noFallback: z._default(z.boolean(), false),
  cgroup: z._default(z.string(), 'auto'),
  tmpFsParam: z._default(z.string(), 'size=128m,nr_inodes=4k'),
  mountConf: z._default(z.nullable(MOUNT_CONF), null),
  root: z._default(z.custom<NonNullable<EngineOptions['root']>>(), 'host'),
  seccomp: z._default(z.nullable(z.custom<SeccompPolicy>()), null),
  compat: z._default(z.enum(['default', 'strict']), 'default'),
  advertiseVersion: z._default(
    z
      .string()
      .check(z.regex(/^v\d+\.\d+\.\d+([-+.][\w.+-]*)?$/, { error: 'must be a version such as v1.12.2' })),
    BUILD_VERSION,
  ),
  bodyMaxBytes: z._default(bytes, 256 * MiB),
  frameMaxBytes: z._default(bytes, 256 * MiB),
  receiveTotalBytes: z._default(bytes, 512 * MiB),
  requestTotalBytes: z._default(bytes, 512 * MiB),
  answerTotalBytes: z._default(bytes, 512 * MiB),
  cmdCountMax: z._default(z.int().check(z.minimum(1)), 64),
  collectMaxBytes: z._default(bytes, 256 * MiB),
  shutdownMs: z._default(timeMs(0), 3000),
  engine: z.optional(z.custom<Runner>(isRunner, 'must be an Engine or another Runner')),
  observer: z.optional(z.custom<RunObserver>((value) => typeof value === 'object' && value !== null)),
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
  /** Requests run at the same time. Default: `availableCpus()` of @sbx/core. */
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
   * Bytes of all messages, and of bodies that do not say their size, that have not come whole. Default 512
   * MiB; what finds no room is refused.
   */
  receiveTotalBytes?: number | undefined;
  /**
   * Bytes of all requests of more than 64 KiB that wait for a worker or run. Default 512 MiB. Beyond, large
   * ones are not read: their clients wait, as many as may wait for a worker, and the rest is refused.
   */
  requestTotalBytes?: number | undefined;
  /**
   * Bytes of all answers that clients have not taken. Default 512 MiB. Beyond, nothing is started and no
   * download begun, and who takes less than 16 KiB a second for 30 s is disconnected.
   */
  answerTotalBytes?: number | undefined;
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
