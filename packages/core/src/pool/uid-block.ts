import { hostIdCount } from '../options/defaults.js';

/** Unassigned by every distribution; one engine takes a block at random. */
const UID_FIRST = 1_879_048_192;
const UID_LAST = 2_147_483_646;

/** The first id of a block for so many sandboxes. */
export function randomBlock(maxSandboxes: number): number {
  const size = hostIdCount(maxSandboxes);
  const blocks = Math.floor((UID_LAST - UID_FIRST) / size);
  return UID_FIRST + Math.floor(Math.random() * blocks) * size;
}
