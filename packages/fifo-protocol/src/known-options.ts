/** Names of options that nobody knows, and which one was meant. As `@sbx/core` does it, which clients must not need. */
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

/** The one name that is near, or that begins with the word: a third of its letters may be wrong, three at the most. */
export function nearestName(word: string, names: readonly string[]): string | null {
  if (word.length > 64) return null;
  const lower = word.toLowerCase();
  const bound = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  const ranked = names
    .map((name) => ({ name, distance: distanceOf(lower, name.toLowerCase()) }))
    .sort((one, other) => one.distance - other.distance);
  if (ranked[0] !== undefined && ranked[0].distance <= bound) return ranked[0].name;
  const longer = lower.length < 3 ? [] : names.filter((name) => name.toLowerCase().startsWith(lower));
  return longer.length === 1 ? longer[0]! : null;
}

/** Insertions, deletions and replacements that turn one word into the other. */
function distanceOf(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const replaced = row[j - 1]! + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, replaced));
    }
    row = next;
  }
  return row[other.length]!;
}
