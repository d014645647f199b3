/** Names of options that nobody knows, and which one was meant. */
import { nearestName } from '@sbx/shared';
import { FifoError } from './errors.js';

/** Throws `SBX_FIFO_INVALID_OPTIONS` for what is no object of options, or has a key that is not `known`. */
export function checkOptionNames(options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw refused('options', `must be an object of ${known.join(', ')}`);
  // One in the place of `{ signal }` has no keys of its own, and would abort nothing.
  if (options instanceof AbortSignal) throw refused('options', 'must be { signal } for an AbortSignal');
  for (const field of Object.keys(options)) {
    if (known.includes(field)) continue;
    const near = nearestName(field, known);
    const hint = near === null ? '' : ` Did you mean ${near}?`;
    throw refused(field, `is not known; known are ${known.join(', ')}`, hint);
  }
}

function refused(field: string, expected: string, hint = ''): FifoError {
  const message = `${field} ${expected}.${hint}`;
  return new FifoError({ code: 'SBX_FIFO_INVALID_OPTIONS', message, details: { field, expected } });
}
