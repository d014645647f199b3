/** Which name was meant. */

/**
 * The name that was probably meant, or `null` when none is near: same letters in another case, a part, a slip
 * or two.
 */
export function nearestName(word: string, names: readonly string[]): string | null {
  if (word.length > 64) return null;
  const lower = word.toLowerCase();
  let best: string | null = null;
  // A third of the letters may be wrong, three at the most.
  let bestDistance = Math.min(3, Math.max(1, Math.floor(word.length / 3))) + 1;
  for (const name of names) {
    const distance = editDistance(lower, name.toLowerCase());
    if (distance < bestDistance) {
      best = name;
      bestDistance = distance;
    }
  }
  return best ?? nameContaining(lower, names);
}

/** `memory` → `memoryBytes`, `timeMs` → nothing when several fit. */
function nameContaining(lower: string, names: readonly string[]): string | null {
  if (lower.length < 3) return null;
  let found: string | null = null;
  for (const name of names) {
    if (!name.toLowerCase().startsWith(lower)) continue;
    if (found !== null) return null;
    found = name;
  }
  return found;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let cost = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1];
      if (swapped) cost = Math.min(cost, beforeLast[column - 2]! + 1);
      current.push(cost);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}
