/** Names of options that nobody knows, and which one was meant. */
import { nearestName } from '@sbx/shared';
import { FifoError } from './errors.js';

/** Throws `SBX_FIFO_INVALID_OPTIONS` for the first key that is none of `known`. */
export function checkOptionNames(options: object, known: readonly string[]): void {
  for (const field of Object.keys(options)) {
    if (known.includes(field)) continue;
    const near = nearestName(field, known);
    const hint = near === null ? '' : ` Did you mean ${near}?`;
    const expected = `is not known; known are ${known.join(', ')}`;
    const message = `${field} ${expected}.${hint}`;
    throw new FifoError({ code: 'SBX_FIFO_INVALID_OPTIONS', message, details: { field, expected } });
  }
}
