/** Options checked by a zod schema, errors in the words of core. */
import { InvalidOptionsError, nearestName, optionRules } from '@sbx/core';

/** The part of a zod issue that is needed. */
interface Issue {
  code?: string;
  path?: PropertyKey[];
  message?: string;
  expected?: unknown;
  origin?: string;
  minimum?: unknown;
  maximum?: unknown;
  values?: readonly unknown[];
  keys?: readonly string[];
}

/** Of a schema: an object with its keys, or one that wraps another. */
interface Part {
  readonly shape?: object;
  unwrap?(): unknown;
}

/** The part of a zod schema that is needed. */
interface Schema<Output> extends Part {
  safeParse(
    value: unknown,
    params: { error: (issue: Issue) => string | undefined },
  ): { success: true; data: Output } | { success: false; error: { issues: Issue[] } };
}

/** Throws `InvalidOptionsError` for the first thing that is wrong. */
export function checkOptions<Output>(schema: Schema<Output>, options: unknown): Output {
  const parsed = schema.safeParse(options, { error: expectation });
  if (parsed.success) return parsed.data;
  const { code, path = [], keys = [], message = '' } = parsed.error.issues[0]!;
  const field = ['options', ...[...path, ...keys.slice(0, 1)].map(segment)].join('');
  const hint = keys[0] === undefined ? null : hintFor(keys[0], schema, path);
  const value = valueAt(options, path);
  const isTold = typeof value === 'number' || TELLING.has(code ?? '');
  const got = isTold ? optionRules.describe(value) : null;
  throw new InvalidOptionsError({ field, rule: RULES[code ?? ''] ?? 'type', expected: message, got, hint });
}

/** Kinds of faults of which the value may be told: a token that is too short is of none. */
const TELLING: ReadonlySet<string> = new Set(['invalid_type', 'invalid_value']);

function valueAt(options: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], options);
}

/** Which option was meant, as core says it; of an object within them, at `path`. */
function hintFor(key: string, schema: Part, path: readonly PropertyKey[]): string | null {
  const inner = path.reduce<Part | undefined>((part, name) => partsOf(part).get(String(name)), schema);
  const ours = partsOf(inner);
  for (const [name, foreign] of Object.entries(FOREIGN))
    if (ours.has(name) && foreign.includes(key)) return `Give ${name}.`;
  const near = nearestName(key, [...ours.keys()]);
  return near === null ? null : `Did you mean ${near}?`;
}

/** What options of other servers are called here, where no spelling leads to it. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  host: ['hostname', 'address', 'bind'],
  token: ['auth', 'authToken', 'bearerToken', 'apiKey', 'secret', 'password'],
  allowedOrigins: ['cors', 'origin', 'origins', 'allowOrigin'],
  parallelism: ['concurrency', 'maxConcurrency', 'workers'],
};

/** Of an object, its keys. */
function partsOf(part: Part | undefined): ReadonlyMap<string, Part> {
  return new Map(Object.entries((bare(part)?.shape ?? {}) as Record<string, Part>));
}

/** Without what says that it may be absent or null. */
function bare(part: Part | undefined): Part | undefined {
  return part?.shape === undefined && part?.unwrap !== undefined ? bare(part.unwrap() as Part) : part;
}

/** As core names places: `.limits`, `[3]`. */
function segment(key: PropertyKey): string {
  return typeof key === 'number' ? `[${key}]` : `.${String(key)}`;
}

const RULES: Readonly<Record<string, 'range' | 'choice' | 'unknown-key'>> = {
  too_small: 'range',
  too_big: 'range',
  invalid_value: 'choice',
  unrecognized_keys: 'unknown-key',
};

/** What the rule asks for. */
function expectation({ code, expected, origin, minimum, maximum, values = [] }: Issue): string | undefined {
  const unit = origin === 'string' ? ' characters' : origin === 'array' ? ' entries' : '';
  switch (code) {
    case 'invalid_type':
      return `must be ${ARTICLES[String(expected)] ?? String(expected)}`;
    case 'too_small':
      return `must ${unit === '' ? 'be' : 'have'} at least ${minimum}${unit}`;
    case 'too_big':
      return `must ${unit === '' ? 'be' : 'have'} at most ${maximum}${unit}`;
    case 'invalid_value':
      return `must be one of ${values.join(', ')}`;
    case 'unrecognized_keys':
      return 'is no option';
    default:
      return undefined;
  }
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'a boolean',
  array: 'an array',
  object: 'an object',
  record: 'an object',
};
