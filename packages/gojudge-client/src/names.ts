/**
 * Names that callers may give. One that is not known is refused: a limit with its name misspelt would be the default, and nobody
 * would notice.
 */
import { GojudgeError } from './errors.js';

/** A table that the compiler keeps whole. */
type Names<T> = Readonly<Record<keyof Required<T>, true>>;

/** Throws `GOJUDGE_REQUEST`. A value of `undefined` is as if it were not there. */
export function checkNames<T extends object>(place: string, value: T, known: Names<T>): void {
  for (const [name, given] of Object.entries(value)) {
    if (Object.hasOwn(known, name) || given === undefined) continue;
    throw new GojudgeError({
      code: 'GOJUDGE_REQUEST',
      message: `${place}.${name} is not known; known are ${Object.keys(known).join(', ')}. Nothing was sent.`,
    });
  }
}
