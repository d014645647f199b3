/** The states of a slot, and the moves between them that there are. */

/**
 * `starting`: its keeper is being cloned. `preparing`: its next sandbox is being made, or will be when the
 * last one is cleaned up. `ready`: the sandbox stands. `leased`: it belongs to a request. `ended`: the slot
 * is given up.
 */
export type SlotState = 'starting' | 'preparing' | 'ready' | 'leased' | 'ended';

const MOVES: Readonly<Record<SlotState, readonly SlotState[]>> = {
  starting: ['preparing', 'ended'],
  preparing: ['preparing', 'ready', 'ended'],
  ready: ['leased', 'preparing', 'ended'], // preparing: it is made anew, with another spec
  leased: ['preparing', 'ended'],
  ended: [],
};

/** Returns `to`. Throws where there is no such move, which is a fault of ours. */
export function moveSlot(from: SlotState, to: SlotState): SlotState {
  if (!MOVES[from].includes(to)) throw new Error(`A slot went from ${from} to ${to}.`);
  return to;
}
