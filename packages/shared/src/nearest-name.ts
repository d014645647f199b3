/** Which name was meant. As `@sbx/core` does it, which clients must not need. */

/** The one name that is near: a third of the letters may be wrong, three at the most; or the only one that begins with the word. */
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
