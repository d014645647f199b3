/** The problem that a check returns for a refused value, and the error that is made of it. */

import { InvalidOptionsError, type OptionRule } from '../errors.js';
import { describe, describeSecret, quote } from './describe.js';
import { nearestName } from './nearest-name.js';

/**
 * Why a value was refused. `path` is relative to the value that was checked: `.limits.cpuTimeMs`, `[3]`, or
 * empty.
 */
export interface Problem {
  path: string;
  rule: OptionRule;
  expected: string;
  got: string | null;
  hint: string | null;
}

/** Makes a problem of the checked value itself. */
export function problem(
  rule: OptionRule,
  expected: string,
  got: string | null = null,
  hint: string | null = null,
): Problem {
  return { path: '', rule, expected, got, hint };
}

/** Puts `segment` (`.key`, `[3]`) before the path; lets `null` pass. */
export function within(segment: string, found: Problem | null): Problem | null {
  if (found !== null) found.path = segment + found.path;
  return found;
}

/** `.key`, or `["odd key"]`. */
export function keySegment(key: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${quote(key)}]`;
}

/** Throws the problem as the public error; `root` is the name of the argument that was checked. */
export function throwProblem(root: string, found: Problem): never {
  const { path, rule, expected, got, hint } = found;
  throw new InvalidOptionsError({ field: root + path, rule, expected, got, hint });
}

/** For a value that would be right once it is there. */
export function awaitHint(value: unknown): string | null {
  return value instanceof Promise ? 'It is a promise: await it first.' : null;
}

/** Of the wrong type. `expected` has its article: `'a string'`. */
export function wrongType(expected: string, value: unknown, hint: string | null = null): Problem {
  return problem('type', `must be ${expected}`, describe(value), awaitHint(value) ?? hint);
}

/** As `wrongType`, when the value may be contents. */
export function wrongSecret(expected: string, value: unknown, hint: string | null = null): Problem {
  return problem('type', `must be ${expected}`, describeSecret(value), awaitHint(value) ?? hint);
}

/** Not one of the words. */
export function wrongWord(value: unknown, words: readonly (string | boolean)[]): Problem {
  const near = typeof value === 'string' ? nearestName(value, words.map(String)) : null;
  const list = words.map((item) => (typeof item === 'boolean' ? `${item}` : `'${item}'`)).join(', ');
  const hint =
    near === null ? null : `Did you mean ${near === 'false' || near === 'true' ? near : `'${near}'`}?`;
  return problem(
    typeof value === 'string' ? 'choice' : 'type',
    `must be one of ${list}`,
    describe(value),
    hint,
  );
}
