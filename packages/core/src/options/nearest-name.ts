/**
 * Which name was meant. Its type is written here, since a package that is built into this one cannot be named
 * in declarations.
 */
import { nearestName as nearest } from '@sbx/shared';

/**
 * The one of `names` that `word` probably means, or `null` when none is near: the same letters in another
 * case, a part, a slip or two.
 */
export const nearestName: (word: string, names: readonly string[]) => string | null = nearest;
