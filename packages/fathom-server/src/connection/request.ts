/**
 * Text of a message → a checked request, or the error that answers it. The first rule that is broken is told,
 * in one order.
 */
import type { executeSchema } from '@sbx/fathom-client/schemas';
import {
  type CancelMessage,
  type ExecuteMessage,
  MESSAGE_TYPES,
  type PingMessage,
  PROTOCOL_VERSION,
  SIZE_LIMITS,
  type WireErrorCode,
} from '@sbx/fathom-client/wire';

/** Why a message is refused. */
export interface Refusal {
  kind: 'refused';
  id?: string;
  code: WireErrorCode;
  message: string;
}

export type Request =
  | { kind: 'execute'; message: ExecuteMessage }
  | { kind: 'cancel'; message: CancelMessage }
  | { kind: 'ping'; id?: string }
  | Refusal;

/** What requests are checked against. */
export interface Rules {
  execute: ReturnType<typeof fieldsOf>;
  /** By their exact names: aliases are no names of the protocol. */
  languages: ReadonlySet<string>;
}

/** What is left to check once a message is known to be an `execute` with an id. */
export function fieldsOf(schema: ReturnType<typeof executeSchema>) {
  return schema.omit({ v: true, type: true, ts: true, id: true });
}

type Fields = Readonly<Record<string, unknown>>;

const CLIENT_TYPES = Object.keys(MESSAGE_TYPES).filter(
  (type) => MESSAGE_TYPES[type as keyof typeof MESSAGE_TYPES] === 'client',
);

export function readRequest(text: string, rules: Rules, isActive: (id: string) => boolean): Request {
  const value = parse(text);
  if (value === null) return refused(undefined, 'A message must be a JSON object.');
  const id = usableId(value.id);
  const { v, type, ts } = value;
  if (v !== PROTOCOL_VERSION) return refused(id, `v: must be ${PROTOCOL_VERSION}, the supported version`);
  if (typeof type !== 'string' || !CLIENT_TYPES.includes(type)) {
    return refused(id, `type: must be one of ${CLIENT_TYPES.join(', ')}`);
  }
  if (typeof ts !== 'string' || !ISO_8601.test(ts)) {
    return refused(id, 'ts: must be a string with an ISO 8601 date and time: 2025-12-27T11:30:00.000Z');
  }
  if (type === 'ping') return id === undefined ? { kind: 'ping' } : { kind: 'ping', id };
  if (id === undefined) {
    return refused(id, `id: must be a string of 1 to ${SIZE_LIMITS.idLength} characters`);
  }
  if (type === 'cancel') return { kind: 'cancel', message: value as unknown as CancelMessage & PingMessage };
  if (isActive(id)) return refused(id, 'id: is in use by an active execution of this connection');
  return readExecute(value, id, rules);
}

/** What it looks like, not whether there is such a day: nothing depends on it, and clocks differ. */
const ISO_8601 = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?$/i;

/**
 * As the specification's sample has it. A name that is none is not repeated: it may be huge, or meant for
 * somebody's terminal.
 */
function shownName(name: string): string {
  return /^[\w+#.-]{1,64}$/.test(name) ? `'${name}'` : 'of that name';
}

/** Types of fields first, then the language, then ranges and sizes. */
function readExecute(value: Fields, id: string, rules: Rules): Request {
  const objection = namesProblem(value.env);
  if (objection !== null) return refused(id, `env: ${objection}`);
  const issues = rules.execute.safeParse(value).error?.issues ?? [];
  const wrongType = issues.find(({ code }) => code === 'invalid_type');
  if (wrongType !== undefined) return refused(id, issueText(wrongType));
  if (!rules.languages.has(value.language as string)) {
    const name = shownName(value.language as string);
    const available = [...rules.languages].join(', ');
    const message = `language: Language ${name} is not available in this sandbox; available are ${available}`;
    return { kind: 'refused', id, code: 'LANGUAGE_NOT_SUPPORTED', message };
  }
  if (issues[0] !== undefined) return refused(id, issueText(issues[0]));
  return { kind: 'execute', message: value as unknown as ExecuteMessage };
}

function parse(text: string): Fields | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : null;
  } catch {
    return null;
  }
}

/** An id that can be given back; an answer carries it whenever there is one. */
function usableId(id: unknown): string | undefined {
  if (typeof id !== 'string' || id === '' || id.length > SIZE_LIMITS.idLength) return undefined;
  return /\p{Surrogate}/u.test(id) ? undefined : id;
}

/**
 * What the schema cannot see to: it looks at each name, and there may be millions; one it passes over,
 * whatever its value is.
 */
function namesProblem(env: unknown): string | null {
  if (typeof env !== 'object' || env === null || Array.isArray(env)) return null;
  if (Object.hasOwn(env, '__proto__')) return 'must not have the name __proto__';
  let count = 0;
  for (const _ in env)
    if (++count > SIZE_LIMITS.envCount) return `must have at most ${SIZE_LIMITS.envCount} names`;
  return null;
}

/** Names of variables are not told: they may be huge. */
function issueText({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `${path[0] === 'env' ? 'env' : path.join('.')}: ${message}`;
}

export function refused(id: string | undefined, message: string): Refusal {
  return { kind: 'refused', ...(id === undefined ? {} : { id }), code: 'INVALID_REQUEST', message };
}
