/** Options and requests of `engine.runMany`; those are checked as they come. */
import type { EachRunManyOptions, RunManyOptions } from '../types/program.js';
import { by, checkTable, nested, number, table, word } from './check.js';
import { throwProblem, wrongType } from './problem.js';
import { validateOneShot } from './program.js';
import { ABORT_RULES, ONE_SHOT_TABLE } from './program-rules.js';

const TABLE = table<RunManyOptions | EachRunManyOptions>('the options of engine.runMany', {
  concurrency: number(1, 4096),
  settle: word('all', 'each'),
  signal: ABORT_RULES.signal,
});

/** `validateOneShot` looks at it. */
const later = by(() => null);

const REQUEST_TABLE = table('a request of engine.runMany', {
  file: later,
  args: later,
  options: nested(ONE_SHOT_TABLE),
});

/** Throws `InvalidOptionsError`, by the request's place: what stood beside `options` would be ignored. */
export function validateRunRequest(request: unknown, index: number): void {
  const place = `requests[${index}]`;
  const found = checkTable(request, REQUEST_TABLE);
  if (found !== null) throwProblem(place, found);
  const { file, args, options } = request as Record<string, unknown>;
  validateOneShot(file, args, options, `${place}.`);
}

/** Throws `InvalidOptionsError`. */
export function validateRunMany(requests: unknown, options: unknown): void {
  const isIterable =
    typeof requests === 'object' &&
    requests !== null &&
    (Symbol.asyncIterator in requests || Symbol.iterator in requests);
  if (!isIterable)
    throwProblem(
      'requests',
      wrongType('an iterable of { file, args, options }, also an async one', requests),
    );
  const found = checkTable(options, TABLE);
  if (found !== null) throwProblem('options', found);
}
