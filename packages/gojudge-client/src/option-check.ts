/**
 * What callers give, checked by the caller's own names before anything is made of it: a string where a list
 * is wanted would be taken apart into its letters, and one where a number is wanted would be multiplied.
 */
import { nearestName } from '@sbx/shared';
import { failure } from './errors.js';

/** What a value must be, in words, and whether it is. */
export type ValueRule = readonly [words: string, isRight: (value: unknown) => boolean];

/** A rule for every option of `T`, kept whole by the compiler. */
export type OptionRules<T> = Readonly<Record<keyof Required<T>, ValueRule>>;

export const isText = (value: unknown): value is string => typeof value === 'string';
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const TEXT: ValueRule = ['a string', isText];
export const FLAG: ValueRule = ['true or false', (value) => typeof value === 'boolean'];
export const TEXTS: ValueRule = ['a list of strings', (value) => Array.isArray(value) && value.every(isText)];
export const LIST: ValueRule = ['a list', Array.isArray];
/** What has no fields of its own would be taken for an empty one: a Map, a promise, a date. */
const isRecord = (value: unknown): value is object =>
  isObject(value) && !(Symbol.iterator in value) && !isPromise(value) && !(value instanceof Date);

export const RECORD: ValueRule = ['an object', isRecord];
export const TEXT_RECORD: ValueRule = [
  'an object of strings',
  (value) => isRecord(value) && Object.values(value).every(isText),
];
/** `Infinity` is the highest that the wire can carry. */
export const AMOUNT: ValueRule = [
  'a number that is not negative',
  (value) => typeof value === 'number' && value >= 0,
];
export const COUNT: ValueRule = [
  'a whole number of at least 1',
  (value) => typeof value === 'number' && value >= 1 && (Number.isInteger(value) || value === Infinity),
];
export const WHOLE: ValueRule = [
  'a whole number of at least 0',
  (value) => typeof value === 'number' && value >= 0 && (Number.isInteger(value) || value === Infinity),
];
/** By its shape: an `AbortSignal` of another realm is one, too. */
export const SIGNAL: ValueRule = [
  'an AbortSignal',
  (value) => isObject(value) && typeof (value as { aborted?: unknown }).aborted === 'boolean',
];

/**
 * Throws `GOJUDGE_REQUEST` with the option's name. A value of `undefined` is as if it were not there.
 * `meanings`: names that people bring from elsewhere, with what they are called here.
 */
export function checkOptions<T extends object>(
  place: string,
  value: T,
  rules: OptionRules<T>,
  meanings: ReadonlyMap<string, string> = new Map(),
): void {
  if (SIGNAL[1](value)) refuse(place, '{ signal } for an AbortSignal', value); // it has no fields to refuse
  if (!isRecord(value)) refuse(place, `an object of ${Object.keys(rules).join(', ')}`, value);
  for (const [name, given] of Object.entries(value)) {
    if (given === undefined) continue;
    if (!Object.hasOwn(rules, name)) {
      const meant = meanings.get(name) ?? nearestName(name, Object.keys(rules));
      refuseName(`${place}.${name}`, meant, Object.keys(rules));
    }
    checkValue(`${place}.${name}`, given, rules[name as keyof T]);
  }
}

/** Throws `GOJUDGE_REQUEST`. */
export function checkValue(place: string, value: unknown, [words, isRight]: ValueRule): void {
  if (!isRight(value)) refuse(place, words, value);
}

/** Throws `GOJUDGE_REQUEST`. */
export function refuse(place: string, rule: string, got: unknown): never {
  throw failure('GOJUDGE_REQUEST', `${place} must be ${rule}; got ${shown(got)}. Nothing was sent.`);
}

/** What to do with a value that is no file: JSON has no bytes, and a promise is not what comes of it. */
export function advice(file: unknown): string {
  if (file instanceof Uint8Array) return ' (bytes go by client.upload first)';
  return isPromise(file) ? ' (await the promise first)' : '';
}

function isPromise(value: unknown): boolean {
  return isObject(value) && typeof (value as { then?: unknown }).then === 'function';
}

function refuseName(place: string, meant: string | null, known: readonly string[]): never {
  const hint = meant === null ? '' : ` Did you mean ${meant}?`;
  throw failure(
    'GOJUDGE_REQUEST',
    `${place} is not known; known are ${known.join(', ')}.${hint} Nothing was sent.`,
  );
}

const SHOWN_CHARS = 80;

function shown(got: unknown): string {
  if (typeof got === 'number') return `${got}`;
  if (typeof got === 'bigint') return `${got}n`;
  if (typeof got === 'function' || typeof got === 'symbol') return `a ${typeof got}`;
  if (SIGNAL[1](got)) return 'an AbortSignal';
  if (got instanceof Map || got instanceof Set) return `a ${got.constructor.name}`;
  if (isPromise(got)) return 'a promise';
  if (got instanceof Uint8Array) return `${got.byteLength} bytes`;
  try {
    return JSON.stringify(got)?.slice(0, SHOWN_CHARS) ?? 'nothing';
  } catch {
    return 'an object'; // one that leads back to itself
  }
}
