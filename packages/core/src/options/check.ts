/**
 * Strict options, from tables. A `Table` maps each legal key to a `Rule`; `checkTable` walks the keys of what
 * came and answers with the first `Problem`, or `null`. It runs on every `Sandbox.run`, so nothing is
 * allocated while all is well: rules are made once, checks are plain functions of a value, and paths are put
 * together on the way back from a problem (each level prepends its own segment). `throwProblem` makes the
 * error, at the outermost function.
 *
 * Only plain objects are taken: what is checked must be what is read later, which getters and prototypes do
 * not promise.
 */

import { describe, describeSecret } from './describe.js';
import { awaitHint, keySegment, type Problem, problem, within, wrongType, wrongWord } from './problem.js';
import { unknownKey } from './unknown-key.js';

/** Looks at a value that is not `undefined`. Must not keep or change it. */
export type Check = (value: unknown) => Problem | null;

/** What a value must be. */
export type Rule =
  | NumberRule
  | StringRule
  | { kind: 'boolean' }
  | { kind: 'function' }
  | { kind: 'word'; words: readonly (string | boolean)[] }
  /** `then` looks at an object whose keys are all legal: what depends on several of them, or on the place. */
  | { kind: 'table'; table: Table; then?: Check }
  | { kind: 'check'; check: Check };

/** A number in a range. */
export interface NumberRule {
  kind: 'number';
  min: number;
  max: number;
  integer: boolean;
  /** `null` is legal and means this: `'no limit'`. */
  nullMeans: string | null;
  /** Word for what is counted: `'bytes'`, `'ms'`. Empty for plain numbers. */
  unit: string;
}

/** A text of bounded size. */
export interface StringRule {
  kind: 'string';
  /** Greatest size in bytes of UTF-8. */
  maxBytes: number;
  /** Legal when empty. */
  empty: boolean;
  /** Contents: NUL and lone surrogates are legal, and messages never repeat the value. */
  secret: boolean;
}

/** The legal keys of one kind of object. */
export interface Table {
  /** Name of the object, for messages: `'limits'`, `'the options of Sandbox.run'`. */
  readonly what: string;
  readonly rules: ReadonlyMap<string, Rule>;
  readonly required: readonly string[];
  /** Keys of which exactly one must be there. */
  readonly exactlyOne: ReadonlySet<string> | null;
  /** Keys that people try, with what to write here. */
  readonly hints: Readonly<Record<string, string>>;
  /** Such an object in short, for who gave none at all. */
  readonly example: string | null;
}

/** The keys of an interface, or of every member of a union. */
export type KeysOf<T> = T extends unknown ? keyof T & string : never;

/**
 * Makes a `Table`, at import only. With the public type as `T`, a key that was forgotten here breaks the
 * build.
 */
export function table<T extends object = Record<string, unknown>>(
  what: string,
  rules: Readonly<Record<KeysOf<T>, Rule>>,
  more: {
    required?: readonly NoInfer<KeysOf<T>>[];
    exactlyOne?: readonly NoInfer<KeysOf<T>>[];
    hints?: Readonly<Record<string, string>>;
    example?: string;
  } = {},
): Table {
  return {
    what,
    rules: new Map(Object.entries<Rule>(rules)),
    required: more.required ?? [],
    exactlyOne: more.exactlyOne === undefined ? null : new Set(more.exactlyOne),
    hints: more.hints ?? {},
    example: more.example ?? null,
  };
}

/** A number from `min` to `max`, whole unless said otherwise. */
export function number(min: number, max: number, more: Partial<NumberRule> = {}): NumberRule {
  return { kind: 'number', min, max, integer: true, nullMeans: null, unit: '', ...more };
}

/** Text for the kernel: not empty, no NUL, well-formed, at most `maxBytes` bytes. */
export function text(maxBytes: number, more: Partial<StringRule> = {}): StringRule {
  return { kind: 'string', maxBytes, empty: false, secret: false, ...more };
}

/** `true` or `false`. */
export const BOOLEAN: Rule = { kind: 'boolean' };

/** One of these words. */
export function word(...words: readonly (string | boolean)[]): Rule {
  return { kind: 'word', words };
}

/** A nested object. */
export function nested(inner: Table, then?: Check): Rule {
  return { kind: 'table', table: inner, then };
}

/** Anything a function can judge. */
export function by(check: Check): Rule {
  return { kind: 'check', check };
}

const lookupGetter = (Object.prototype as unknown as { __lookupGetter__(key: string): unknown })
  .__lookupGetter__;

/** Whether `value[key]` is computed. The old built-in is used because it allocates no descriptor. */
export function isGetter(value: object, key: string): boolean {
  return lookupGetter.call(value, key) !== undefined;
}

/** An object literal (of any realm) or one without a prototype. */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Checks an object against its table. Keys with `undefined` count as absent. */
export function checkTable(value: unknown, rules: Table): Problem | null {
  if (!isPlainObject(value)) return notPlain(value, rules);
  const { exactlyOne } = rules;
  let chosen = 0;
  for (const key in value) {
    const rule = rules.rules.get(key);
    if (rule === undefined) {
      // An enumerable key that someone put on Object.prototype is not the caller's.
      if (Object.hasOwn(value, key)) return unknownKey(key, rules);
      continue;
    }
    if (isGetter(value, key)) return within(keySegment(key), problem('type', GETTER_RULE));
    const item = value[key];
    if (item === undefined) continue;
    if (exactlyOne?.has(key)) chosen++;
    const found = checkRule(item, rule);
    if (found !== null) return within(keySegment(key), found);
  }
  if (exactlyOne !== null && chosen !== 1) return wrongChoice(chosen, rules);
  return missing(value, rules);
}

/** Checks one value against one rule. */
export function checkRule(value: unknown, rule: Rule): Problem | null {
  switch (rule.kind) {
    case 'number':
      return checkNumber(value, rule);
    case 'string':
      return checkString(value, rule);
    case 'boolean':
      return typeof value === 'boolean' ? null : wrongType('true or false', value);
    case 'function':
      return typeof value === 'function' ? null : wrongType('a function', value);
    case 'word':
      return (rule.words as readonly unknown[]).includes(value) ? null : wrongWord(value, rule.words);
    case 'table':
      return checkTable(value, rule.table) ?? (rule.then === undefined ? null : rule.then(value));
    case 'check':
      return rule.check(value);
  }
}

function checkNumber(value: unknown, rule: NumberRule): Problem | null {
  if (typeof value === 'number') {
    // NaN fails the first comparison.
    if (value >= rule.min && value <= rule.max && (!rule.integer || Number.isInteger(value))) return null;
  } else if (value === null && rule.nullMeans !== null) return null;
  return wrongNumber(value, rule);
}

function checkString(value: unknown, rule: StringRule): Problem | null {
  if (typeof value !== 'string') return wrongType('a string', value, urlHint(value));
  if (value.length === 0 && !rule.empty) return problem('format', 'must not be empty');
  const found = rule.secret ? null : kernelTextProblem(value);
  if (found !== null) return found;
  // A UTF-16 unit takes at most three bytes: the exact count is needed only near the bound.
  if (value.length * 3 > rule.maxBytes && Buffer.byteLength(value) > rule.maxBytes) {
    return problem('size', `must be at most ${rule.maxBytes} bytes`, `${Buffer.byteLength(value)} bytes`);
  }
  return null;
}

function urlHint(value: unknown): string | null {
  return value instanceof URL ? 'A path is a string: fileURLToPath(url), of node:url.' : null;
}

function wrongNumber(value: unknown, rule: NumberRule): Problem {
  const { min, max, integer, nullMeans, unit } = rule;
  const kind = integer ? 'a whole number' : 'a number';
  const orNull = nullMeans === null ? '' : `, or null for ${nullMeans}`;
  const expected = `must be ${kind}${unit === '' ? '' : ` of ${unit}`} from ${min} to ${max}${orNull}`;
  const got = describe(value);
  if (typeof value !== 'number') return problem('type', expected, got, numberHint(value, rule));
  const none = nullMeans !== null && (value === 0 || value === Number.POSITIVE_INFINITY);
  if (none) return problem('range', expected, got, `Give null for ${nullMeans}.`);
  return problem('range', expected, got, value > 0 && value < min && unit === 'bytes' ? BYTES_HINT : null);
}

const BYTES_HINT = 'Sizes are numbers of bytes: 256 * 2 ** 20 is 256 MiB.';

function numberHint(value: unknown, rule: NumberRule): string | null {
  if (typeof value !== 'string' && typeof value !== 'bigint') return null;
  if (rule.unit === 'bytes') return BYTES_HINT;
  if (rule.unit === 'ms') return 'Times are numbers of milliseconds: 1500 is a second and a half.';
  return null;
}

const GETTER_RULE = 'must be a plain value, not a getter: it could change after the check';

function notPlain(value: unknown, { what, example }: Table): Problem {
  const isInstance = typeof value === 'object' && value !== null && !Array.isArray(value);
  const like = example === null ? null : `An example: ${example}.`;
  const copy = isInstance ? 'Copy its fields into an object literal: { ...value }.' : null;
  const hint = awaitHint(value) ?? copy ?? like;
  return problem('type', `must be a plain object (${what})`, describeSecret(value), hint);
}

function wrongChoice(chosen: number, rules: Table): Problem {
  const keys = [...rules.exactlyOne!].join(', ');
  const got = chosen === 0 ? 'none of them' : `${chosen} of them`;
  return problem(chosen === 0 ? 'required' : 'conflict', `must have exactly one of the keys ${keys}`, got);
}

function missing(value: Record<string, unknown>, rules: Table): Problem | null {
  for (const key of rules.required) {
    if (value[key] === undefined) {
      return within(keySegment(key), problem('required', `is missing: ${rules.what} must have it`));
    }
  }
  return null;
}

/**
 * Why a string is not the same once it is bytes for the kernel. A NUL byte ends it, so what follows would be
 * lost silently; every lone surrogate becomes U+FFFD, so two names would be one. Messages repeat nothing.
 */
export function kernelTextProblem(value: string): Problem | null {
  if (value.includes('\0'))
    return problem('nul', 'must not contain a NUL byte', `one at position ${value.indexOf('\0')}`);
  if (value.isWellFormed()) return null;
  const got = `a lone surrogate at position ${value.search(/\p{Surrogate}/u)}`;
  return problem('format', 'must be well-formed Unicode', got, SURROGATE_HINT);
}

const SURROGATE_HINT =
  'Give the text as it was before it was cut, or call toWellFormed(), which puts U+FFFD for it.';
