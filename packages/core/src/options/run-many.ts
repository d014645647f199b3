/** Options of `engine.runMany`. The requests themselves are checked as they come. */
import type { RunManyOptions } from '../types/program.js';
import { checkTable, number, table } from './check.js';
import { throwProblem, wrongType } from './problem.js';
import { ABORT_RULES } from './program-rules.js';

const TABLE = table<RunManyOptions>('the options of engine.runMany', {
  concurrency: number(1, 4096),
  signal: ABORT_RULES.signal,
});

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
