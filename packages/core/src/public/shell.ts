/** Quoting for `sh -c`. */

import { InvalidOptionsError } from '../errors.js';
import { describeSecret } from '../options/describe.js';
import type { RunOptions } from '../types/program.js';
import type { RunResult } from '../types/result.js';

/** The tag that `sh` returns for options: `` sandbox.sh({ cwd: 'src' })`make` ``. */
export type ShellTag = (
  strings: TemplateStringsArray,
  ...values: readonly (string | number)[]
) => Promise<RunResult>;

/** Runs a line, or with options first returns a tag that does. */
export function callShell(
  run: (line: string, options: RunOptions) => Promise<RunResult>,
  first: TemplateStringsArray | RunOptions,
  rest: readonly (string | number)[],
): Promise<RunResult> | ShellTag {
  const tag =
    (options: RunOptions): ShellTag =>
    async (strings, ...values) => {
      checkTemplate(strings);
      checkValues(values);
      return run(quoteShell(strings, values), options);
    };
  return isShellOptions(first) ? tag(first) : tag({})(first, ...rest);
}

function isShellOptions(first: TemplateStringsArray | RunOptions): first is RunOptions {
  return typeof first === 'object' && first !== null && !Array.isArray(first);
}

/** Throws when `sh` is called like a function: nothing would be quoted. */
export function checkTemplate(strings: unknown): void {
  if (Array.isArray(strings) && 'raw' in strings) return;
  const expected = 'is a tag of templates, without parentheses but for options';
  const hint =
    'Write sandbox.sh`wc -l notes.txt`; a line that is text already goes to run: ("sh", ["-c", line]).';
  throw new InvalidOptionsError({ field: 'sh', rule: 'type', expected, hint });
}

/** Throws for what would be a word that nobody meant: `undefined`, `[object Promise]`. */
function checkValues(values: readonly unknown[]): void {
  const index = values.findIndex((value) => typeof value !== 'string' && typeof value !== 'number');
  if (index < 0) return;
  const value = values[index];
  const hint = Array.isArray(value)
    ? 'For several words write one value for each.'
    : value instanceof Promise
      ? 'Await it first.'
      : null;
  const expected = 'must be a string or a number';
  const field = `sh.values[${index}]`;
  throw new InvalidOptionsError({ field, rule: 'type', expected, got: describeSecret(value), hint });
}

/** The line with each value as one word, whatever is in it. */
export function quoteShell(strings: readonly string[], values: readonly (string | number)[]): string {
  return strings
    .map((part, index) => (index === 0 ? part : quoteWord(String(values[index - 1])) + part))
    .join('');
}

/**
 * Single quotes keep everything but themselves. Plain words have them too: `2` before a `>` would be a
 * descriptor, `A=b` at the beginning a variable, `if` a keyword.
 */
function quoteWord(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
