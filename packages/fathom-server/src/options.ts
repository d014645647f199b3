/** Options of `createFathomServer`, checked; unknown ones are errors. */
import {
  availableCpus,
  FEATURES,
  type Feature,
  InvalidOptionsError,
  isRunner,
  type Limits,
  type Runner,
  type RunObserver,
} from '@sbx/core';
import { LANGUAGES, LIMIT_RANGES, SIZE_LIMITS } from '@sbx/fathom-client/wire';
import type { LanguageDefinition } from '@sbx/languages';
import { checkOptions, isOrigin, ORIGIN_EXPECTED } from '@sbx/serving';
import { z } from 'zod';

/**
 * Where the server tells what happens; `pino()` fits. Nothing of code, input, environment or token ever goes
 * there.
 */
export interface Logger {
  /** Connections and executions. */
  debug(fields: object, message: string): void;
  /** Rare and ordinary. */
  info(fields: object, message: string): void;
  /** Something that somebody should look at. */
  warn(fields: object, message: string): void;
  /** A sandbox that failed, or a defect. */
  error(fields: object, message: string): void;
}

/** Options of `createFathomServer`; all have defaults. */
export interface FathomServerOptions {
  /** Where `listen()` listens; `localhost` is every loopback address. Default `'127.0.0.1'`. */
  host?: string | undefined;
  /** Port of `listen()`; 0 takes a free one. Default 8765. */
  port?: number | undefined;
  /** Path of the WebSocket. Default `'/ws'`. */
  path?: string | undefined;
  /**
   * Bearer token that upgrades and `/metrics` must bring. `null` (default): everybody who can connect may.
   */
  token?: string | null | undefined;
  /**
   * Origins of web pages that may connect where no token is asked for, besides those of this machine:
   * `'https://example.org'`. Default: none.
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * Names of languages of `@sbx/languages`, or definitions of your own, without compile step. Those that are
   * not installed are not on offer, and the logger is warned; with none left the server does not open.
   * Default: python, javascript, shell, elixir.
   */
  languages?: readonly (string | LanguageDefinition)[] | undefined;
  /**
   * Interpreters kept started and waiting, by language; each serves one execution. Default: two of Python and
   * JavaScript, one of Elixir.
   */
  standby?: Readonly<Record<string, number>> | undefined;
  /** Memory that all waiting interpreters may hold together. Default 512 MiB. */
  standbyMemoryBytes?: number | undefined;
  /**
   * Executions that run at the same time, and a quarter more for connections of which nothing runs. Default:
   * four per CPU, at least 8.
   */
  parallelism?: number | undefined;
  /**
   * Executions that may wait, and a quarter more for connections of which nothing waits. Default 256. More
   * are refused with `SANDBOX_OVERLOADED`.
   */
  queueLength?: number | undefined;
  /** Executions of one connection that run at the same time; more wait. Default: `parallelism`. */
  parallelismPerConnection?: number | undefined;
  /** Executions of one connection that may wait. Default: `queueLength`. */
  queueLengthPerConnection?: number | undefined;
  /** Connections at the same time. Default 1024. More are refused with 503. */
  connectionCountMax?: number | undefined;
  /** Highest `timeout_ms`. Default 300 000. */
  timeoutMsMax?: number | undefined;
  /** Highest `memory_mb`. Default 1024. */
  memoryMbMax?: number | undefined;
  /** Highest `max_output_bytes`. Default 64 MiB. */
  outputBytesMax?: number | undefined;
  /** Most bytes of `code`. Default 1 MiB. */
  codeBytesMax?: number | undefined;
  /** Most bytes of `stdin`. Default 4 MiB. */
  stdinBytesMax?: number | undefined;
  /** Most bytes of one message; larger ones close the connection with 1009. Default 8 MiB. */
  messageBytesMax?: number | undefined;
  /**
   * More limits of each execution; time, memory and CPU weight are the client's. Default: those of its
   * language and of the engine, CPU time unbounded.
   */
  limits?: Limits | undefined;
  /**
   * Interfaces of each execution: none, or a loopback of its own, on which its programs reach each other.
   * Default `'none'`.
   */
  network?: 'none' | 'loopback' | undefined;
  /**
   * Bytes of all messages of more than 64 KiB whose executions wait or run. Default 256 MiB. More are refused
   * with `SANDBOX_OVERLOADED`.
   */
  requestTotalBytes?: number | undefined;
  /**
   * Bytes on their way to all clients. Default 256 MiB. Beyond, each has 16 KiB before its programs wait and
   * its messages are not read, and who takes less than 16 KiB a second for 30 s is disconnected.
   */
  answerTotalBytes?: number | undefined;
  /** Bytes on their way to one client beyond which its programs wait. Default 256 KiB. */
  bufferBytes?: number | undefined;
  /** A client that takes nothing for so long while its buffer is full is disconnected. Default 30 000. */
  stallMs?: number | undefined;
  /** Time between pings; two unanswered ones end a connection. Default 30 000. */
  pingMs?: number | undefined;
  /** How long executions outlive their connection. Default 1000. */
  orphanGraceMs?: number | undefined;
  /** How long `close()` lets executions finish before it ends them. Default 0. */
  drainMs?: number | undefined;
  /**
   * What programs see of the host: its /usr (`'host'`, default), or of its packages those of `languages`
   * alone (`'minimal'`, as of `EngineOptions`).
   */
  root?: 'host' | 'minimal' | undefined;
  /** Guarantees of the engine that is opened here, as of `EngineOptions`. */
  require?: readonly Feature[] | undefined;
  /**
   * An engine of the caller's, which stays open; or another runner, such as that of `@sbx/cluster`, where no
   * interpreters wait. Default: an engine of the server's own.
   */
  engine?: Runner | undefined;
  /** Is called when an execution starts and ends, for live views. Default: none. */
  observer?: RunObserver | undefined;
  /** Default: silent. */
  logger?: Logger | undefined;
}

const PARALLELISM_MIN = 8;
const PARALLELISM_PER_CPU = 4;
/** What timers can hold. */
const MS_MAX = 2 ** 31 - 1;
const BYTES_MAX = 2 ** 30;
const TOTAL_BYTES = 256 * 2 ** 20;

const count = z.int().min(0).max(1_000_000);
const ms = z.int().min(0).max(MS_MAX);
const bytes = z.int().min(1).max(BYTES_MAX);
const totalBytes = z.int().min(1).default(TOTAL_BYTES);
const record = z.custom<object>((value) => typeof value === 'object' && value !== null, 'must be an object');

const OPTIONS = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8765),
  path: z.string().startsWith('/').default('/ws'),
  token: z.string().min(1).nullable().default(null),
  allowedOrigins: z.array(z.string().refine(isOrigin, ORIGIN_EXPECTED)).readonly().default([]),
  languages: z
    .array(z.union([z.string(), record as z.ZodType<LanguageDefinition>]))
    .readonly()
    .refine((wanted) => new Set(wanted.map(nameOf)).size === wanted.length, 'must name each language once')
    .default([...LANGUAGES]),
  standby: z.record(z.string(), z.int().min(0).max(1024)).optional(),
  standbyMemoryBytes: z
    .int()
    .min(0)
    .default(512 * 2 ** 20),
  parallelism: z
    .int()
    .min(1)
    .max(4096)
    .default(() => Math.max(PARALLELISM_MIN, PARALLELISM_PER_CPU * availableCpus())),
  queueLength: count.default(256),
  parallelismPerConnection: z.int().min(1).max(4096).optional(),
  queueLengthPerConnection: count.optional(),
  connectionCountMax: count.default(1024),
  timeoutMsMax: ms.min(1).default(LIMIT_RANGES.timeout_ms.max),
  memoryMbMax: z.int().min(1).max(BYTES_MAX).default(LIMIT_RANGES.memory_mb.max),
  outputBytesMax: bytes.default(LIMIT_RANGES.max_output_bytes.max),
  codeBytesMax: bytes.default(SIZE_LIMITS.codeBytes),
  stdinBytesMax: bytes.default(SIZE_LIMITS.stdinBytes),
  messageBytesMax: bytes.default(SIZE_LIMITS.messageBytes),
  requestTotalBytes: totalBytes,
  answerTotalBytes: totalBytes,
  limits: (record as z.ZodType<Limits>).default({}),
  network: z.enum(['none', 'loopback']).default('none'),
  bufferBytes: bytes.default(256 * 1024),
  stallMs: ms.min(10).default(30_000),
  pingMs: ms.min(10).default(30_000),
  orphanGraceMs: ms.default(1000),
  drainMs: ms.default(0),
  root: z.enum(['host', 'minimal']).default('host'),
  require: z.array(z.enum(FEATURES)).readonly().optional(),
  engine: z.custom<Runner>(isRunner, 'must be an Engine or another Runner').optional(),
  observer: (record as z.ZodType<RunObserver>).optional(),
  logger: (record as z.ZodType<Logger>).optional(),
});

/** Of those on offer. */
const STANDBY: Readonly<Record<string, number>> = { python: 2, javascript: 2, elixir: 1 };

/** Options after defaults. */
export type ResolvedOptions = z.output<typeof OPTIONS> & { standby: Readonly<Record<string, number>> };

/** Throws `InvalidOptionsError` for the first thing that is wrong. */
export function parseOptions(options: FathomServerOptions): ResolvedOptions {
  const { standby, ...rest } = checkOptions(OPTIONS, options);
  const names = rest.languages.map(nameOf);
  const stranger = Object.keys(standby ?? {}).find((name) => !names.includes(name));
  if (stranger !== undefined) {
    const expected = `must name languages on offer: ${names.join(', ')}`;
    throw new InvalidOptionsError({
      field: 'options.standby',
      rule: 'choice',
      expected,
      got: JSON.stringify(stranger),
    });
  }
  return { ...rest, standby: standby ?? STANDBY };
}

function nameOf(language: string | LanguageDefinition): string {
  return typeof language === 'string' ? language : language.name;
}
