import { expect, it } from 'vitest';
import { moveSlot, type SlotState } from './slot-state.js';

const STATES: readonly SlotState[] = ['starting', 'preparing', 'ready', 'leased', 'ended'];

it('has these moves and no others', () => {
  const moves = STATES.flatMap((from) =>
    STATES.filter((to) => {
      try {
        return moveSlot(from, to) === to;
      } catch {
        return false;
      }
    }).map((to) => `${from} ${to}`),
  );
  expect(moves).toEqual([
    'starting preparing',
    'starting ended',
    'preparing preparing',
    'preparing ready',
    'preparing ended',
    'ready preparing',
    'ready leased',
    'ready ended',
    'leased preparing',
    'leased ended',
  ]);
});
