/** Options of `startWorker`, checked; unknown ones are errors. */
import { availableCpus, Engine, FEATURES, type Feature, type Limits } from '@sbx/core';
import { checkOptions } from '@sbx/serving';
import * as z from 'zod';
import { BROKER_SHAPE } from '../engine/options.js';
import type { BrokerOptions } from '../nats/connection.js';

/**
 * Where a worker tells what happens; `pino()` fits. Nothing of code, input, environment or file names ever
 * goes there.
 */
export interface WorkerLogger {
  /** Jobs. */
  debug(fields: object, message: string): void;
  /** Start and end. */
  info(fields: object, message: string): void;
  /** Something that somebody should look at. */
  warn(fields: object, message: string): void;
  /** A defect. */
  error(fields: object, message: string): void;
}

/** Options of `startWorker`; all but `servers` have defaults. */
export interface WorkerOptions extends BrokerOptions {
  /** Jobs at the same time. Default: `availableCpus()` of @sbx/core. */
  slots?: number | undefined;
  /** Languages to announce, by their names in `@sbx/languages`. Default: all that are installed. */
  languages?: readonly string[] | undefined;
  /** Words for operators, shown by `sbx cluster status`; 64 at most. Default: none. */
  labels?: Readonly<Record<string, string>> | undefined;
  /**
   * Highest limits of a job, as of `EngineOptions`; a job that asks for more, or for none, is refused.
   * Default: an hour of wall time. Of an `engine` of the caller's it is the engine's own.
   */
  ceilings?: Limits | undefined;
  /**
   * Bytes of all contents that one job may bring along (`stdin`, `files`, inputs of `fds` and `pty`), in its
   * message or as files that are fetched for it; each counts as often as it is named. Default 256 MiB.
   */
  inputBytesMax?: number | undefined;
  /**
   * Bytes that one job may bring back in its outputs together (stdout and stderr of a program count once, as
   * the larger), and as many in files, and in records of pipes. Default 256 MiB.
   */
  outputBytesMax?: number | undefined;
  /** Bytes of the local cache of files. Default 2 GiB. */
  cacheBytes?: number | undefined;
  /** Folder that the cache is made in. Default: the system's for temporary files. */
  cacheFolder?: string | undefined;
  /** Guarantees without which the worker does not start, as of `EngineOptions`. Default: the engine's. */
  require?: readonly Feature[] | undefined;
  /** An engine of the caller's, which stays open. Default: one of the worker's own. */
  engine?: Engine | undefined;
  /** Default: silent. */
  logger?: WorkerLogger | undefined;
}

const WALL_TIME_MS = 3_600_000;
const MiB = 2 ** 20;
/** Each announcement carries them. */
const LABELS_MAX = 64;
const record = z.custom<object>((value) => typeof value === 'object' && value !== null, 'must be an object');

const OPTIONS = z.strictObject({
  ...BROKER_SHAPE,
  slots: z.int().min(1).max(4096).default(availableCpus),
  languages: z.array(z.string().min(1).max(64)).max(256).readonly().optional(),
  labels: z
    .record(z.string().min(1).max(64), z.string().max(256))
    .refine((labels) => Object.keys(labels).length <= LABELS_MAX, `must be at most ${LABELS_MAX} labels`)
    .default({}),
  ceilings: (record as z.ZodType<Limits>).default({ wallTimeMs: WALL_TIME_MS }),
  inputBytesMax: z
    .int()
    .min(0)
    .max(2 ** 40)
    .default(256 * MiB),
  outputBytesMax: z
    .int()
    .min(0)
    .max(2 ** 30)
    .default(256 * MiB),
  cacheBytes: z
    .int()
    .min(0)
    .max(2 ** 50)
    .default(2048 * MiB),
  cacheFolder: z.string().min(1).optional(),
  require: z.array(z.enum(FEATURES)).readonly().optional(),
  engine: z.custom<Engine>((value) => value instanceof Engine, 'must be an Engine').optional(),
  logger: (record as z.ZodType<WorkerLogger>).optional(),
});

export type ResolvedWorkerOptions = z.output<typeof OPTIONS>;

/** Throws `InvalidOptionsError` for the first thing that is wrong. */
export function parseWorkerOptions(options: WorkerOptions): ResolvedWorkerOptions {
  return checkOptions(OPTIONS, options);
}
