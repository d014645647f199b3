/**
 * What a server sent, from text to the types. For clients; servers use the schemas of
 * `@sbx/fathom-client/schemas`.
 */
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

function isStatus(value: unknown): boolean {
  return (STATUSES as readonly unknown[]).includes(value);
}

const output: Fields = { id, data: text };
const FIELDS_BY_TYPE: Readonly<Record<ServerMessage['type'], Fields>> = {
  ack: { id },
  status: { id, status: isStatus },
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

/**
 * What is wrong with a message, in one sentence; `null` when it is one. Fields that are not known do not
 * matter.
 */
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

/**
 * What a text of the server is. `ignored`: a type or status of a later server, which means nothing to this
 * client. `problem` with `id`: it concerns that execution alone; without: the peer does not speak this
 * protocol.
 */
export type DecodedMessage =
  | { kind: 'message'; message: ServerMessage }
  | { kind: 'ignored' }
  | { kind: 'problem'; problem: string; id: string | null };

/** Reads a text of the server. A code of an error that is not known is passed on as it is. */
export function decodeServerMessage(text: string): DecodedMessage {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { kind: 'problem', problem: 'A message must be JSON.', id: null };
  }
  const problem = serverMessageProblem(value);
  if (problem === null) return { kind: 'message', message: value as ServerMessage };
  return isRecord(value) ? decodeOther(value, problem) : { kind: 'problem', problem, id: null };
}

/** One that is not of this version of the wire as we know it. */
function decodeOther(value: Record<string, unknown>, problem: string): DecodedMessage {
  const { v, ts, type, status, code } = value;
  if (v !== PROTOCOL_VERSION || typeof ts !== 'string' || typeof type !== 'string') {
    return { kind: 'problem', problem, id: null };
  }
  if (!Object.hasOwn(FIELDS_BY_TYPE, type)) return { kind: 'ignored' };
  if (type === 'status' && typeof status === 'string' && !isStatus(status)) return { kind: 'ignored' };
  if (type === 'error' && typeof code === 'string') {
    const isKnownBesides = serverMessageProblem({ ...value, code: 'INTERNAL_ERROR' }) === null;
    if (isKnownBesides) return { kind: 'message', message: value as unknown as ServerMessage };
  }
  return { kind: 'problem', problem, id: id(value.id) ? (value.id as string) : null };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
