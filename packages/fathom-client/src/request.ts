/** What a caller asks for, checked and turned into the wire's own names and units. */
import { nearestName } from '@sbx/shared';
import { FathomError } from './errors.js';
import { type ExecuteLimits, type Language, LIMIT_RANGES, SIZE_LIMITS } from './wire/index.js';

/**
 * What an execution may use. Servers can allow less than the bounds here, and more memory and time; they say
 * so.
 */
export interface ExecutionLimits {
  /**
   * Wall time of the execution itself, in ms; waiting for a place does not count. Default 30 000, which a
   * server with a lower bound refuses: give less there.
   */
  timeoutMs?: number | undefined;
  /** Memory of the whole process tree, in bytes, rounded up to whole MiB. Default 256 MiB, likewise. */
  memoryBytes?: number | undefined;
  /** Relative weight when CPUs are short; 1024 is a normal one. Default: the server's, 512. */
  cpuShares?: number | undefined;
  /** Raw bytes of stdout and stderr together. Default: the server's, 1 MiB. */
  outputBytes?: number | undefined;
}

/** One program. */
export interface ExecutionRequest {
  /** `'python'`, `'javascript'`, `'shell'`, `'elixir'`, or what else the server offers. */
  language: Language | (string & {});
  /** The source text. */
  code: string;
  /** Default: end of file at once. */
  stdin?: string | undefined;
  /** Added to the server's small clean environment; these win. */
  env?: Record<string, string> | undefined;
  /** What it may use. */
  limits?: ExecutionLimits | undefined;
}

/** Fields of an `execute` message beside the envelope. */
export interface ExecuteFields {
  type: 'execute';
  id: string;
  language: string;
  code: string;
  stdin?: string;
  env?: Record<string, string>;
  limits: ExecuteLimits;
}

const MIB = 2 ** 20;
const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MEMORY_BYTES = 256 * MIB;

const KNOWN_FIELDS = ['language', 'code', 'stdin', 'env', 'limits'];
const KNOWN_LIMITS = ['timeoutMs', 'memoryBytes', 'cpuShares', 'outputBytes'];

/**
 * Throws FATHOM_REQUEST, naming the field, when a server could only refuse it. Upper ends are the server's
 * affair.
 */
export function executeFields(id: string, request: ExecutionRequest): ExecuteFields {
  checkNames('request', request, KNOWN_FIELDS);
  const { language, code, stdin, env, limits = {} } = request;
  checkText('language', language, SIZE_LIMITS.idLength);
  if (language === '') refuse('language', 'must not be empty');
  checkText('code', code, SIZE_LIMITS.codeBytes);
  if (stdin !== undefined) checkText('stdin', stdin, SIZE_LIMITS.stdinBytes);
  if (env !== undefined) checkEnv(env);
  checkNames('limits', limits, KNOWN_LIMITS);
  const {
    timeoutMs = DEFAULT_TIMEOUT_MS,
    memoryBytes = DEFAULT_MEMORY_BYTES,
    cpuShares,
    outputBytes,
  } = limits;
  checkCount('limits.timeoutMs', timeoutMs, LIMIT_RANGES.timeout_ms.min);
  checkCount('limits.memoryBytes', memoryBytes, 1);
  if (cpuShares !== undefined) checkCount('limits.cpuShares', cpuShares, LIMIT_RANGES.cpu_shares.min);
  if (outputBytes !== undefined) checkCount('limits.outputBytes', outputBytes, 1);
  return {
    type: 'execute',
    id,
    language,
    code,
    ...(stdin === undefined ? {} : { stdin }),
    ...(env === undefined ? {} : { env }),
    limits: {
      timeout_ms: timeoutMs,
      memory_mb: Math.ceil(memoryBytes / MIB),
      ...(cpuShares === undefined ? {} : { cpu_shares: cpuShares }),
      ...(outputBytes === undefined ? {} : { max_output_bytes: outputBytes }),
    },
  };
}

/** As servers call limits, whose bounds are their own: what the caller calls them. */
const NAMES_BY_WIRE: ReadonlyMap<string, string> = new Map([
  ['limits.timeout_ms', 'limits.timeoutMs'],
  ['limits.memory_mb', 'limits.memoryBytes (here in MiB)'],
  ['limits.cpu_shares', 'limits.cpuShares'],
  ['limits.max_output_bytes', 'limits.outputBytes'],
]);

/** What a server says of a request, in the names that the caller has given. */
export function inOwnNames(message: string): string {
  return message.replace(/\blimits\.[a-z_]+/g, (name) => NAMES_BY_WIRE.get(name) ?? name);
}

/** A message that is too large would end the connection, and with it every execution on it. */
export function checkMessageSize(text: string): void {
  const { messageBytes } = SIZE_LIMITS;
  if (text.length * 3 <= messageBytes || byteLength(text) <= messageBytes) return;
  refuse('request', `must be at most ${messageBytes} bytes as JSON, with all that JSON writes as escapes`);
}

/** Ids are the client's to choose: random, so that one in a log names one execution. */
export function newExecutionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return `exec_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * What is kept of the output of one execution, both streams together: as much as the protocol lets a program
 * print.
 */
export const OUTPUT_LENGTH_MAX = LIMIT_RANGES.max_output_bytes.max;

/** Throws FATHOM_REQUEST. */
export function refuse(field: string, rule: string): never {
  throw new FathomError({ code: 'FATHOM_REQUEST', message: `${field} ${rule}.` });
}

const EXAMPLE = " such as { language: 'python', code: '…' }";

/** Throws FATHOM_REQUEST for what is no object, or has a name that is not known. */
export function checkNames(field: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(field, `must be an object${field === 'request' ? EXAMPLE : ''}`);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  if (field === 'request' && unknown === 'signal')
    refuse('request.signal', 'is not known: give it beside the request, execute(request, { signal })');
  const inner = field === 'request' ? nearestName(unknown, KNOWN_LIMITS) : null;
  const near = nearestName(unknown, known) ?? (inner === null ? null : `limits.${inner}`);
  const meant = near === null ? '' : ` (did you mean ${near}?)`;
  refuse(`${field}.${unknown}`, `is not known${meant}; known are ${known.join(', ')}`);
}

function checkText(field: string, value: unknown, bytesMax: number): void {
  if (typeof value !== 'string') refuse(field, 'must be a string');
  if (/\p{Surrogate}/u.test(value)) refuse(field, 'must be text without lone surrogates');
  if (value.length * 3 > bytesMax && byteLength(value) > bytesMax)
    refuse(field, `must be at most ${bytesMax} bytes as UTF-8`);
}

function checkEnv(env: unknown): void {
  if (typeof env !== 'object' || env === null || Array.isArray(env))
    refuse('env', 'must be an object of strings');
  const entries = Object.entries(env);
  if (entries.length > SIZE_LIMITS.envCount) refuse('env', `must have at most ${SIZE_LIMITS.envCount} names`);
  let bytes = 0;
  for (const [name, value] of entries) {
    if (name === '' || /[=\0]/.test(name))
      refuse('env', 'must have names that are not empty, without = and NUL');
    checkText(`env.${name}`, value, SIZE_LIMITS.envBytes);
    if (value.includes('\0')) refuse(`env.${name}`, 'must not contain NUL');
    const own = byteLength(name) + byteLength(value);
    if (own > SIZE_LIMITS.envVariableBytes)
      refuse('env', `must be at most ${SIZE_LIMITS.envVariableBytes} bytes in one variable, name and value`);
    bytes += own;
  }
  if (bytes > SIZE_LIMITS.envBytes)
    refuse('env', `must be at most ${SIZE_LIMITS.envBytes} bytes, names and values together`);
}

function checkCount(field: string, value: unknown, min: number): void {
  if (!Number.isSafeInteger(value)) refuse(field, 'must be a whole number');
  if ((value as number) < min) refuse(field, `must be at least ${min}`);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).byteLength;
}
