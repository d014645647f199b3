/** What a server sent, from text to the types. For clients; servers use the schemas of `@sbx/fathom-client/schemas`. */
import { WIRE_ERROR_CODES } from './errors.js';
import { PROTOCOL_VERSION } from './limits.js';
import { type ServerMessage, STATUSES } from './messages.js';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, Check>>;

const text: Check = (value) => typeof value === 'string';
const id: Check = (value) => typeof value === 'string' && value.length > 0;
const flag: Check = (value) => typeof value === 'boolean';
const count: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
const record =
  (fields: Fields): Check =>
  (value) =>
    isRecord(value) && Object.entries(fields).every(([name, check]) => check(value[name]));

const output: Fields = { id, data: text };
const FIELDS_BY_TYPE: Readonly<Record<ServerMessage['type'], Fields>> = {
  ack: { id },
  status: { id, status: (value) => (STATUSES as readonly unknown[]).includes(value) },
  stdout: output,
  stderr: output,
  result: {
    id,
    exit_code: (value) => value === null || Number.isSafeInteger(value),
    duration_ms: count,
    resource_usage: optional(record({ peak_memory_mb: optional(count), cpu_time_ms: optional(count) })),
  },
  error: {
    id: optional(id),
    code: (value) => typeof value === 'string' && Object.hasOwn(WIRE_ERROR_CODES, value),
    message: text,
    retryable: flag,
  },
  pong: { id: optional(id), load: optional(record({ active_executions: count, queue_depth: count })) },
};

/** What is wrong with a message, in one sentence; `null` when it is one. Fields that are not known do not matter. */
export function serverMessageProblem(value: unknown): string | null {
  if (!isRecord(value)) return 'A message must be a JSON object.';
  if (value.v !== PROTOCOL_VERSION) return `v must be ${PROTOCOL_VERSION}.`;
  if (typeof value.ts !== 'string') return 'ts must be a string.';
  const { type } = value;
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS_BY_TYPE, type))
    return 'type is not one that servers send.';
  const fields = FIELDS_BY_TYPE[type as ServerMessage['type']];
  for (const name in fields)
    if (!fields[name]!(value[name])) return `${name} of ${type} is missing or wrong.`;
  return null;
}

/** The message in `text`, or what is wrong with it. */
export function decodeServerMessage(text: string): { message: ServerMessage } | { problem: string } {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { problem: 'A message must be JSON.' };
  }
  const problem = serverMessageProblem(value);
  return problem === null ? { message: value as ServerMessage } : { problem };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
