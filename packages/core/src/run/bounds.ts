/** Bounds of a group that the host writes: a session's, and those of a warm process. Init writes the others. */

import { COUNTERS, type CounterName } from '../native/tables.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { Slot } from '../pool/slot.js';
import { boundGroup } from './plan.js';

/** May be refused: it has been reported as not enforced. As in native/addon/link_start.cc. */
const OPTIONAL: readonly CounterName[] = ['swapLimit', 'socketLimit'];

/** Throws what the kernel refused. Nothing is written that is in force. `heldBytes`: what the group held before the program. */
export function writeBounds(slot: Slot, limits: ResolvedLimits, heldBytes: number): void {
  const { writeCounters, writeTexts } = boundGroup(slot, slot.group, limits, heldBytes);
  for (const [i, counter] of writeCounters.entries()) {
    try {
      slot.group!.set(counter, writeTexts[i]!);
    } catch (error) {
      if (OPTIONAL.includes(COUNTERS[counter]!)) continue;
      slot.forgetLimits();
      throw error;
    }
  }
}
