/** Options of `createServer`, checked; unknown ones are errors. */
import {
  availableCpus,
  Engine,
  FEATURES,
  type Feature,
  InvalidOptionsError,
  isRunner,
  type Runner,
} from '@sbx/core';
import type { FathomServerOptions } from '@sbx/fathom-server';
import type { GojudgeServerOptions } from '@sbx/gojudge-server';
import type { McpServerOptions } from '@sbx/mcp';
import { checkOptions, ELSEWHERE_PARALLELISM, isOrigin, ORIGIN_EXPECTED } from '@sbx/serving';
import { z } from 'zod';

/** Where the server reports what happens; `pino()` fits. Code, input, output and token never go there. */
export interface Logger {
  /** Connections, executions, sessions. */
  debug(fields: object, message: string): void;
  /** Rare and ordinary. */
  info(fields: object, message: string): void;
  /** Something that somebody should look at. */
  warn(fields: object, message: string): void;
  /** A sandbox that failed, or a defect. */
  error(fields: object, message: string): void;
}

/** Protocols that a server can speak, in the order in which they are opened. */
export const PROTOCOLS = ['gojudge', 'fathom', 'mcp'] as const;
/** One of `PROTOCOLS`. */
export type Protocol = (typeof PROTOCOLS)[number];

/** Options of every part, which are therefore options of the whole. */
export type SharedOption =
  | 'host'
  | 'port'
  | 'token'
  | 'allowedOrigins'
  | 'engine'
  | 'observer'
  | 'require'
  | 'logger'
  | 'root';

/** The gravest first. */
const SHARED_OPTIONS: readonly SharedOption[] = [
  'token',
  'host',
  'port',
  'allowedOrigins',
  'engine',
  'observer',
  'require',
  'logger',
  'root',
];

/** Options of `createGojudgeServer` that make sense beside other protocols: the engine is not its own. */
export type GojudgePartOptions = Pick<
  GojudgeServerOptions,
  | 'parallelism'
  | 'queueLength'
  | 'dir'
  | 'fileTimeoutMs'
  | 'storeMaxBytes'
  | 'storeMaxCount'
  | 'srcPrefix'
  | 'outputLimitBytes'
  | 'copyOutLimitBytes'
  | 'copyOutTotalBytes'
  | 'openFileLimit'
  | 'bodyMaxBytes'
  | 'frameMaxBytes'
  | 'receiveTotalBytes'
  | 'requestTotalBytes'
  | 'answerTotalBytes'
  | 'cmdCountMax'
  | 'collectMaxBytes'
  | 'shutdownMs'
>;
/** Options of `createFathomServer` but those of the whole. */
export type FathomPartOptions = Omit<FathomServerOptions, SharedOption | 'path'>;
/** Options of `createMcpServer` but those of the whole. */
export type McpPartOptions = Omit<McpServerOptions, SharedOption | 'path'>;

/** Settings of the console. */
export interface ConsoleOptions {
  /** Connections of live figures at the same time; more are refused with 503. Default 64. */
  connectionCountMax?: number | undefined;
  /** Runs that one connection watches at the same time. Default 8. */
  watchCountMax?: number | undefined;
}

/** Options of `createServer`; all have defaults. */
export interface ServerOptions {
  /** Where `listen()` listens; `localhost` is every loopback address. Default `'127.0.0.1'`. */
  host?: string | undefined;
  /** Port of `listen()`; 0 takes a free one. Default 8764. */
  port?: number | undefined;
  /** What is spoken. Default: all of `PROTOCOLS` that `engine` can do. */
  protocols?: readonly Protocol[] | undefined;
  /** Whether the console is at `/` and its live figures at `/console/ws`. Default true. */
  console?: boolean | ConsoleOptions | undefined;
  /**
   * Bearer token of every protocol, of `/metrics` and of the console. `null` (default): everybody who can
   * connect may.
   */
  token?: string | null | undefined;
  /**
   * Origins of web pages that may call where no token is asked for, besides those of this machine:
   * `'https://example.org'`. Default: none.
   */
  allowedOrigins?: readonly string[] | undefined;
  /**
   * One-shot runs of the engine, and requests of go-judge's clients, at the same time. Default: number of
   * CPUs; 1024 where programs run on other machines, which say how many run.
   */
  parallelism?: number | undefined;
  /**
   * What programs see of the host: its /usr (`'host'`, default), or a minimal root for the languages of
   * Fathom (`'minimal'`).
   */
  root?: 'host' | 'minimal' | undefined;
  /** Guarantees of the engine that is opened here, as of `EngineOptions`. */
  require?: readonly Feature[] | undefined;
  /**
   * An engine of the caller's, which stays open; or another runner, such as that of `@sbx/cluster`, which
   * cannot do `'mcp'`: its sandboxes keep files between calls, on one machine. Default: one of the server's
   * own.
   */
  engine?: Runner | undefined;
  /** Further settings of the go-judge part. */
  gojudge?: GojudgePartOptions | undefined;
  /** Further settings of the Fathom part. */
  fathom?: FathomPartOptions | undefined;
  /** Further settings of the MCP part. */
  mcp?: McpPartOptions | undefined;
  /** Default: silent. */
  logger?: Logger | undefined;
}

const record = z.custom<object>((value) => typeof value === 'object' && value !== null, 'must be an object');
const count = z.int().min(1).max(4096);

const CONSOLE = z.strictObject({ connectionCountMax: count.default(64), watchCountMax: count.default(8) });

const OPTIONS = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8764),
  protocols: z
    .array(z.enum(PROTOCOLS))
    .readonly()
    .refine((wanted) => new Set(wanted).size === wanted.length, 'must name each protocol once')
    .optional(),
  console: z.union([z.boolean(), CONSOLE]).default(true),
  token: z.string().min(1).nullable().default(null),
  allowedOrigins: z.array(z.string().refine(isOrigin, ORIGIN_EXPECTED)).readonly().default([]),
  parallelism: count.optional(),
  root: z.enum(['host', 'minimal']).default('host'),
  require: z.array(z.enum(FEATURES)).readonly().optional(),
  engine: z.custom<Runner>(isRunner, 'must be an Engine or another Runner').optional(),
  gojudge: (record as z.ZodType<GojudgePartOptions>).default({}),
  fathom: (record as z.ZodType<FathomPartOptions>).default({}),
  mcp: (record as z.ZodType<McpPartOptions>).default({}),
  logger: (record as z.ZodType<Logger>).optional(),
});

const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Options after defaults; `console` is `null` where there is none. */
export type ResolvedOptions = Omit<
  z.output<typeof OPTIONS>,
  'logger' | 'console' | 'protocols' | 'parallelism'
> & {
  logger: Logger;
  protocols: readonly Protocol[];
  parallelism: number;
  console: Required<z.output<typeof CONSOLE>> | null;
};

/** Throws `InvalidOptionsError` for the first thing that is wrong. */
export function parseOptions(options: ServerOptions): ResolvedOptions {
  const { logger = SILENT, console, ...rest } = checkOptions(OPTIONS, options);
  for (const protocol of PROTOCOLS) refuseShared(protocol, rest[protocol]);
  const { engine } = rest;
  const isElsewhere = engine !== undefined && !(engine instanceof Engine);
  const shown = console === true ? CONSOLE.parse({}) : console === false ? null : console;
  return {
    ...rest,
    logger,
    console: shown,
    protocols: isElsewhere ? withoutMcp(rest.protocols) : (rest.protocols ?? PROTOCOLS),
    parallelism: rest.parallelism ?? (isElsewhere ? ELSEWHERE_PARALLELISM : availableCpus()),
  };
}

/** In a part they would have no effect: with a token of its own that part would be open to everybody. */
function refuseShared(protocol: Protocol, part: object): void {
  const given = part as Readonly<Record<string, unknown>>;
  const name = SHARED_OPTIONS.find((shared) => given[shared] !== undefined);
  if (name === undefined) return;
  throw new InvalidOptionsError({
    field: `options.${protocol}.${name}`,
    rule: 'not-here',
    expected: 'must be absent: it is of all protocols together',
    hint: name === 'observer' ? null : `Give options.${name}.`,
  });
}

function withoutMcp(wanted: readonly Protocol[] | undefined): readonly Protocol[] {
  if (wanted?.includes('mcp') !== true) return wanted ?? PROTOCOLS.filter((name) => name !== 'mcp');
  throw new InvalidOptionsError({
    field: 'options.protocols',
    rule: 'conflict',
    expected:
      'must not name mcp where programs run on other machines: its sandboxes keep files, on one machine',
  });
}
