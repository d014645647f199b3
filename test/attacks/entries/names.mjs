// Names that lead out: every place where one is given × every way. One entry a place, in the order of their
// numbers.
import { leadOut } from '../scenarios/name-attacks.mjs';
import { PLACES } from '../scenarios/name-places.mjs';
import { WIRE_PLACES } from '../scenarios/name-wire.mjs';

const FIRST_ID = 160;

/**
 * What runs in every `npm test`, where test/core/paths.test.ts tries the others, too: a program was once led
 * out by each of these.
 */
const FAST = new Set(['working folder of a program', 'interpreter of a script']);

const rows = [
  ...PLACES.map((place) => ({ place: place.place, target: 'core', attack: leadOut(place) })),
  ...WIRE_PLACES,
];

export const NAMES = rows.map(({ place, target, attack }, index) => ({
  id: FIRST_ID + index,
  name: `lead out by the ${place}`,
  expected: 'an error with a stable code, or the name found inside',
  target,
  slow: !FAST.has(place),
  attack,
}));
