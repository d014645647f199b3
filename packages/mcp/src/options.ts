/** Options of `createMcpServer`, checked; unknown ones are errors. */
import { Engine, FEATURES, type Feature, InvalidOptionsError, type Limits } from '@sbx/core';
import { checkOptions, isOrigin, machineMemoryBytes, ORIGIN_EXPECTED } from '@sbx/serving';
import { z } from 'zod';
import { resolveLimits } from './limits.js';

/**
 * Where the server reports what happens; `pino()` fits. Code, input, file contents, environment and token
 * never go there.
 */
export interface Logger {
  /** Sessions and sandboxes. */
  debug(fields: object, message: string): void;
  /** Rare and ordinary. */
  info(fields: object, message: string): void;
  /** Something that somebody should look at. */
  warn(fields: object, message: string): void;
  /** A defect. */
  error(fields: object, message: string): void;
}

/** Options of `createMcpServer`; all have defaults. */
export interface McpServerOptions {
  /** Where `listen()` listens; `localhost` is every loopback address. Default `'127.0.0.1'`. */
  host?: string | undefined;
  /** Port of `listen()`; 0 takes a free one. Default 8766. */
  port?: number | undefined;
  /** Path of the HTTP endpoint. Default `'/mcp'`. */
  path?: string | undefined;
  /** Bearer token that HTTP requests must bring. `null` (default): everybody who can connect may. */
  token?: string | null | undefined;
  /**
   * Origins of web pages that may call where no token is asked for, besides those of this machine:
   * `'https://example.org'`. Default: none.
   */
  allowedOrigins?: readonly string[] | undefined;
  /** Sandboxes of one session at the same time. Default 4. */
  sandboxCountPerSession?: number | undefined;
  /** Sandboxes of all sessions at the same time. Default 16. */
  sandboxCountMax?: number | undefined;
  /**
   * Memory limits of all open sandboxes together, in bytes; one that would pass it is refused. Default: half
   * of the memory of the machine, or of the container around it.
   */
  memoryBytesMax?: number | undefined;
  /** A sandbox that no call uses for so long is closed, in ms. Default 600 000. */
  idleMs?: number | undefined;
  /**
   * An HTTP session without requests and without an open stream for so long is closed, in ms. Default 3 600
   * 000.
   */
  sessionIdleMs?: number | undefined;
  /**
   * HTTP sessions at the same time; more are refused with 503 unless one gives up its place. Default 64.
   */
  sessionCountMax?: number | undefined;
  /**
   * An HTTP session without sandbox, requests and open stream for so long is closed when another needs its
   * place, in ms. Default 10 000.
   */
  sessionYieldMs?: number | undefined;
  /**
   * Limits of a sandbox and its programs where a call says nothing. Merged over core's defaults, 512 MiB of
   * memory and 128 processes, of which none is above `ceilings`.
   */
  limits?: Limits | undefined;
  /**
   * Highest limits that a call may ask for; more is an error. Merged over 300 s of CPU and wall time, 2 GiB,
   * 512 processes, 8 MiB of output and 1 GiB of files, of which none is below `limits`; `null` lifts one.
   */
  ceilings?: Limits | undefined;
  /**
   * Wall time of a process that goes on between calls, and the most that one may ask for, in ms. Default 3
   * 600 000.
   */
  processWallTimeMs?: number | undefined;
  /** Interfaces inside: none, or a loopback of its own. Default `'none'`, with `exposePorts` `'loopback'`. */
  network?: 'none' | 'loopback' | undefined;
  /**
   * Whether sessions may give ports of their sandboxes an address of this machine, where its other programs,
   * and a browser, reach what untrusted programs serve. Default `false`.
   */
  exposePorts?: boolean | undefined;
  /**
   * Bytes of each output that a result shows, the first and the last of it; the result says how many it left
   * out. Default 65 536.
   */
  shownBytesMax?: number | undefined;
  /** Bytes of a file that one call writes or reads, in base64 or text as it is. Default 1 MiB. */
  fileBytesMax?: number | undefined;
  /** Bytes of one message of a client. Default 4 MiB. */
  messageBytesMax?: number | undefined;
  /**
   * Bytes of HTTP requests that are being received or answered, over all connections; beyond, requests are
   * refused with 503. Default 512 MiB.
   */
  receiveTotalBytes?: number | undefined;
  /**
   * Bytes of answers: one half for those that clients have not taken, over all HTTP connections, one for what
   * calls under way may hold. Beyond either, calls wait. Default 512 MiB.
   */
  answerTotalBytes?: number | undefined;
  /** Guarantees of the engine that is opened here, as of `EngineOptions`. */
  require?: readonly Feature[] | undefined;
  /**
   * An engine of the caller's, which stays open; its own ceilings hold beside `ceilings`. Default: one of the
   * server's own.
   */
  engine?: Engine | undefined;
  /** Default: silent. */
  logger?: Logger | undefined;
}

const KiB = 2 ** 10;
const MiB = 2 ** 20;
/** What timers can hold. */
const MS_MAX = 2 ** 31 - 1;

const count = z.int().min(1).max(4096);
const record = z.custom<object>((value) => typeof value === 'object' && value !== null, 'must be an object');

const OPTIONS = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8766),
  path: z.string().startsWith('/').default('/mcp'),
  token: z.string().min(1).nullable().default(null),
  allowedOrigins: z.array(z.string().refine(isOrigin, ORIGIN_EXPECTED)).readonly().default([]),
  sandboxCountPerSession: count.default(4),
  sandboxCountMax: count.default(16),
  memoryBytesMax: z
    .int()
    .min(MiB)
    .default(() => Math.floor(machineMemoryBytes() / 2)),
  idleMs: z.int().min(10).max(MS_MAX).default(600_000),
  sessionIdleMs: z.int().min(10).max(MS_MAX).default(3_600_000),
  sessionCountMax: count.default(64),
  sessionYieldMs: z.int().min(10).max(MS_MAX).default(10_000),
  limits: (record as z.ZodType<Limits>).optional(),
  ceilings: (record as z.ZodType<Limits>).optional(),
  processWallTimeMs: z.int().min(1).max(MS_MAX).default(3_600_000),
  network: z.enum(['none', 'loopback']).optional(),
  exposePorts: z.boolean().default(false),
  shownBytesMax: z
    .int()
    .min(KiB)
    .max(8 * MiB)
    .default(64 * KiB),
  fileBytesMax: z
    .int()
    .min(KiB)
    .max(64 * MiB)
    .default(MiB),
  messageBytesMax: z
    .int()
    .min(4 * KiB)
    .max(128 * MiB)
    .default(4 * MiB),
  receiveTotalBytes: z
    .int()
    .min(64 * KiB)
    .default(512 * MiB),
  answerTotalBytes: z
    .int()
    .min(64 * KiB)
    .default(512 * MiB),
  require: z.array(z.enum(FEATURES)).readonly().optional(),
  engine: z.custom<Engine>((value) => value instanceof Engine, 'must be an Engine').optional(),
  logger: (record as z.ZodType<Logger>).optional(),
});

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Options after defaults. */
export type ResolvedOptions = Omit<z.output<typeof OPTIONS>, 'logger' | 'limits' | 'ceilings' | 'network'> & {
  network: 'none' | 'loopback';
  logger: Logger;
  limits: Limits;
  ceilings: Limits;
};

/** Throws `InvalidOptionsError` for the first thing that is wrong. */
export function parseOptions(options: McpServerOptions): ResolvedOptions {
  const { logger = SILENT, ...rest } = checkOptions(OPTIONS, options);
  const { exposePorts, network = exposePorts ? 'loopback' : 'none' } = rest;
  if (exposePorts && network === 'none') {
    const expected = "must not be set where network is 'none': nothing can listen there";
    throw new InvalidOptionsError({ field: 'options.exposePorts', rule: 'conflict', expected });
  }
  return { ...rest, ...resolveLimits(rest), network, logger };
}
