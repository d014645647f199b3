/** What callers give, checked before anything is asked: a last call cannot be taken back. */
import { FifoError } from '@sbx/fifo-protocol';

/** A rule in words, and whether a value keeps it. */
type Rule = readonly [words: string, isRight: (value: unknown) => boolean];

export const DIR: Rule = [
  'must be the path of the directory',
  (value) => typeof value === 'string' && value !== '',
];
export const FLAG: Rule = ['must be true or false', (value) => typeof value === 'boolean'];
export const TEXT: Rule = ['must be a string', (value) => typeof value === 'string'];
export const FUNCTION: Rule = ['must be a function', (value) => typeof value === 'function'];
export const BYTES: Rule = [
  'must be a number of bytes that is not negative, or null',
  (value) => value === null || (typeof value === 'number' && value >= 0),
];
/** By its shape: an `AbortSignal` of another realm is one, too. */
export const SIGNAL: Rule = [
  'must be an AbortSignal',
  (value) => typeof (value as { aborted?: unknown } | null)?.aborted === 'boolean',
];
const TIMEOUT: Rule = [
  'must be a positive number or null',
  (value) => value === null || (Number.isFinite(value) && (value as number) > 0),
];

/** Throws `SBX_FIFO_INVALID_OPTIONS`. */
export function check(field: string, value: unknown, [expected, isRight]: Rule): void {
  if (isRight(value)) return;
  const message = `${field} ${expected}; got ${shown(value)}.`;
  throw new FifoError({ code: 'SBX_FIFO_INVALID_OPTIONS', message, details: { field, expected } });
}

export function checkTimeout(value: number | null | undefined, otherwise: number | null): number | null {
  if (value === undefined) return otherwise;
  check('requestTimeoutMs', value, TIMEOUT);
  return value;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80));
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return `${value}`;
  if (value === undefined) return 'nothing';
  return Array.isArray(value) ? 'an array' : `${typeof value === 'object' ? 'an' : 'a'} ${typeof value}`;
}
