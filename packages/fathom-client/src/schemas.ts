/**
 * Zod schemas of every message: what servers check requests with, and what the JSON Schema files are made
 * from. Needs `zod`. Each rule is worded so that `field: rule` is a sentence for the client; values are never
 * repeated.
 *
 * @packageDocumentation
 */
import { z } from 'zod';
import { WIRE_ERROR_CODES, type WireErrorCode } from './wire/errors.js';
import { LIMIT_DEFAULTS, LIMIT_RANGES, PROTOCOL_VERSION, SIZE_LIMITS } from './wire/limits.js';
import { type ClientMessage, LANGUAGES, type ServerMessage, STATUSES } from './wire/messages.js';

/** Upper ends that a server may set for itself. */
export interface RequestBounds {
  timeoutMsMax: number;
  memoryMbMax: number;
  outputBytesMax: number;
  codeBytesMax: number;
  stdinBytesMax: number;
}

/** The protocol's own upper ends. */
export const DEFAULT_BOUNDS: Readonly<RequestBounds> = {
  timeoutMsMax: LIMIT_RANGES.timeout_ms.max,
  memoryMbMax: LIMIT_RANGES.memory_mb.max,
  outputBytesMax: LIMIT_RANGES.max_output_bytes.max,
  codeBytesMax: SIZE_LIMITS.codeBytes,
  stdinBytesMax: SIZE_LIMITS.stdinBytes,
};

const encoder = new TextEncoder();

/** Whether the text has at most so many bytes in UTF-8; counts only where its length does not tell. */
function fits(text: string, bytesMax: number): boolean {
  if (text.length * 3 <= bytesMax) return true;
  return text.length <= bytesMax && encoder.encode(text).length <= bytesMax;
}

/** Lone surrogates cannot be written as UTF-8. */
const isWellFormed = (text: string) => !/\p{Surrogate}/u.test(text);

const LONE_SURROGATE = 'must not contain lone surrogates';

function utf8Text(bytesMax: number, description: string) {
  return z
    .string('must be a string')
    .refine((text) => fits(text, bytesMax), `must have at most ${bytesMax} bytes in UTF-8`)
    .refine(isWellFormed, LONE_SURROGATE)
    .meta({ description, maxLength: bytesMax });
}

function integer(min: number, max: number, description: string) {
  const rule = `must be an integer from ${min} to ${max}`;
  return z.int(rule).min(min, rule).max(max, rule).meta({ description });
}

/**
 * A problem of one variable, or of all together; `null` when it can be set. Names are not told: they may be
 * huge.
 */
function envProblem(env: Readonly<Record<string, string>>): string | null {
  const entries = Object.entries(env);
  if (entries.length > SIZE_LIMITS.envCount) return `must have at most ${SIZE_LIMITS.envCount} names`;
  let bytes = 0;
  for (const [name, value] of entries) {
    if (name === '') return 'must not have an empty name';
    if (/[=\0]/.test(name)) return 'must not have "=" or NUL in a name';
    if (value.includes('\0')) return 'must not have NUL in a value';
    if (!isWellFormed(name) || !isWellFormed(value)) return LONE_SURROGATE;
    if (name.length + value.length > SIZE_LIMITS.envBytes) return ENV_TOO_LARGE;
    const own = encoder.encode(name).length + encoder.encode(value).length;
    bytes += own;
    if (bytes > SIZE_LIMITS.envBytes) return ENV_TOO_LARGE;
    if (own > SIZE_LIMITS.envVariableBytes) return VARIABLE_TOO_LARGE;
  }
  return null;
}

const ENV_TOO_LARGE = `must have at most ${SIZE_LIMITS.envBytes} bytes, names and values together`;
const VARIABLE_TOO_LARGE = `must have at most ${SIZE_LIMITS.envVariableBytes} bytes in one variable, name and value`;

const env = z
  .record(z.string(), z.string('must have strings as values'), 'must be an object of strings')
  .superRefine((value, context) => {
    const message = envProblem(value);
    if (message !== null) context.addIssue({ code: 'custom', message });
  })
  .meta({
    description: `Variables added to the server's own; together at most ${SIZE_LIMITS.envBytes} bytes. The client's values win.`,
    maxProperties: SIZE_LIMITS.envCount,
  });

const VERSION_RULE = `must be ${PROTOCOL_VERSION}, the version that is supported`;
const ID_RULE = `must be a string of 1 to ${SIZE_LIMITS.idLength} characters`;

const v = z.literal(PROTOCOL_VERSION, VERSION_RULE).meta({ description: 'Protocol version.' });
const anyTs = z.string('must be a string').meta({ description: 'ISO 8601; nothing depends on its value.' });
const ownTs = z.iso
  .datetime({ precision: 3 })
  .meta({ description: 'When the message was made: UTC, three decimals.' });
const id = z
  .string(ID_RULE)
  .min(1, ID_RULE)
  .max(SIZE_LIMITS.idLength, ID_RULE)
  .refine(isWellFormed, LONE_SURROGATE)
  .meta({ description: 'Execution id, chosen by the client; belongs to its connection.' });

const fromClient = <T extends string>(type: T) => ({ v, type: z.literal(type), ts: anyTs });
const fromServer = <T extends string>(type: T) => ({ v, type: z.literal(type), ts: ownTs });

/** The schema of `execute`, with a server's own upper ends. */
export function executeSchema(bounds: RequestBounds = DEFAULT_BOUNDS) {
  const { timeout_ms, memory_mb, cpu_shares, max_output_bytes } = LIMIT_RANGES;
  return z
    .object({
      ...fromClient('execute'),
      id,
      language: z
        .string('must be a string')
        .meta({ description: 'A language of the server.', examples: [...LANGUAGES] }),
      code: utf8Text(bounds.codeBytesMax, 'The program.'),
      stdin: utf8Text(
        bounds.stdinBytesMax,
        'Standard input; absent, null and empty: end of file at once.',
      ).nullish(),
      env: env.nullish(),
      limits: z.object(
        {
          timeout_ms: integer(timeout_ms.min, bounds.timeoutMsMax, 'Wall time of the execution in ms.'),
          memory_mb: integer(
            memory_mb.min,
            bounds.memoryMbMax,
            'Memory of all processes, in MB of 1 048 576 bytes.',
          ),
          cpu_shares: integer(
            cpu_shares.min,
            cpu_shares.max,
            `Relative weight, 1024 is a normal one; default ${LIMIT_DEFAULTS.cpu_shares}.`,
          ).nullish(),
          max_output_bytes: integer(
            max_output_bytes.min,
            bounds.outputBytesMax,
            `Raw bytes of stdout and stderr together; default ${LIMIT_DEFAULTS.max_output_bytes}.`,
          ).nullish(),
        },
        'must be an object with timeout_ms and memory_mb',
      ),
    })
    .meta({ title: 'execute', description: 'Starts an execution.' });
}

const errorCodes = Object.keys(WIRE_ERROR_CODES) as [WireErrorCode, ...WireErrorCode[]];
const count = z.int().min(0);

const output = (type: 'stdout' | 'stderr') =>
  z
    .object({
      ...fromServer(type),
      id,
      data: z.string().meta({ description: 'Text, in order within its stream; may be empty.' }),
    })
    .meta({ title: type, description: `What the program wrote to ${type}.` });

/** Every message by its type. Fields that are not listed are ignored. */
export const MESSAGE_SCHEMAS = {
  execute: executeSchema(),
  cancel: z
    .object({ ...fromClient('cancel'), id })
    .meta({ title: 'cancel', description: 'Ends an execution of the same connection.' }),
  ping: z
    .object({ ...fromClient('ping'), id: id.optional() })
    .meta({ title: 'ping', description: 'Asks whether the server lives.' }),
  ack: z
    .object({ ...fromServer('ack'), id })
    .meta({ title: 'ack', description: 'The execution was taken; it has not started yet.' }),
  status: z.object({ ...fromServer('status'), id, status: z.enum(STATUSES) }).meta({
    title: 'status',
    description: 'The state of an execution changed; all but running are terminal.',
  }),
  stdout: output('stdout'),
  stderr: output('stderr'),
  result: z
    .object({
      ...fromServer('result'),
      id,
      exit_code: z.int().nullable().meta({ description: 'null when killed by a signal.' }),
      duration_ms: count.meta({ description: 'From running to the end of the process tree.' }),
      resource_usage: z
        .object({
          peak_memory_mb: count.optional().meta({ description: 'High-water mark, rounded up.' }),
          cpu_time_ms: count.optional().meta({ description: 'User and system time of the whole tree.' }),
        })
        .optional(),
    })
    .meta({
      title: 'result',
      description: 'The last message of an execution, right after its terminal status.',
    }),
  error: z
    .object({
      ...fromServer('error'),
      id: id.optional(),
      code: z.enum(errorCodes),
      message: z.string().meta({ description: 'For people.' }),
      retryable: z.boolean().meta({ description: 'The same request may succeed later.' }),
    })
    .meta({
      title: 'error',
      description: 'A refused request, or the end of an execution that could not go on.',
    }),
  pong: z
    .object({
      ...fromServer('pong'),
      id: id.optional(),
      load: z.object({ active_executions: count, queue_depth: count }).optional(),
    })
    .meta({ title: 'pong', description: 'Answers a ping; load is that of the whole server.' }),
} as const satisfies Record<(ClientMessage | ServerMessage)['type'], z.ZodType>;

/** JSON Schema (draft 2020-12) of every message, by its type. */
export function jsonSchemas(): Record<keyof typeof MESSAGE_SCHEMAS, object> {
  const entries = Object.entries(MESSAGE_SCHEMAS).map(([type, schema]) => [
    type,
    z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' }),
  ]);
  return Object.fromEntries(entries);
}
