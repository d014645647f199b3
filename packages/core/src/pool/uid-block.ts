/** Unassigned by every distribution; one engine takes a block at random. */
const UID_FIRST = 1_879_048_192;
const UID_LAST = 2_147_483_646;

/** Two host ids per slot, and room for slots that end while others begin. */
export function randomBlock(maxSandboxes: number): number {
  const size = maxSandboxes * 4 + 64;
  const blocks = Math.floor((UID_LAST - UID_FIRST) / size);
  return UID_FIRST + Math.floor(Math.random() * blocks) * size;
}
