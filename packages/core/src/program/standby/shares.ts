/** Which recipes the places of a family are for: those that were asked for lately, in proportion. Pure. */
import type { Recipe } from './recipe.js';

/** Requests that are remembered; a recipe that is not among them gets no place. */
export const RECENT_MAX = 8;

/** Recipes of a family's places that are taken: those that wait or are on their way. */
export type Holding = readonly { recipe: Recipe }[];

/** The recipe that the next free place is for. `recent` is not empty, the latest last. */
export function nextRecipe(recent: readonly Recipe[], holding: Holding): Recipe {
  let best = recent[recent.length - 1]!;
  for (const recipe of recent)
    if (claim(recent, holding, recipe) > claim(recent, holding, best)) best = recipe;
  return best;
}

/** With every place taken: one whose recipe has a weaker claim to it than the next recipe, if there is one. */
export function weakest<T extends { recipe: Recipe }>(
  recent: readonly Recipe[],
  holding: readonly T[],
): T | null {
  const next = nextRecipe(recent, holding);
  const strength = claim(recent, holding, next);
  const found = holding.find(({ recipe }) => asked(recent, recipe) / held(holding, recipe) < strength);
  return found ?? null;
}

/** The rule of D'Hondt: requests per place that it would have. */
function claim(recent: readonly Recipe[], holding: Holding, recipe: Recipe): number {
  return asked(recent, recipe) / (held(holding, recipe) + 1);
}

function asked(recent: readonly Recipe[], { key }: Recipe): number {
  return recent.filter((recipe) => recipe.key === key).length;
}

function held(holding: Holding, { key }: Recipe): number {
  return holding.filter(({ recipe }) => recipe.key === key).length;
}
