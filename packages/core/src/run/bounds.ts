/**
 * Bounds of a group that the host writes: a session's, and those of a warm process. Init writes the others.
 */

import { COUNTERS, type CounterName } from '../native/tables.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { SlotCgroup } from '../pool/slot-cgroup.js';
import { boundGroup } from './plan.js';

/** May be refused: it has been reported as not enforced. As in native/addon/link_start.cc. */
const OPTIONAL: readonly CounterName[] = ['swapLimit', 'socketLimit'];

/**
 * Throws what the kernel refused. Nothing is written that is in force. `heldBytes`: what the group held
 * before the program.
 */
export function writeBounds(cgroup: SlotCgroup, limits: ResolvedLimits, heldBytes: number): void {
  const { writeCounters, writeTexts } = boundGroup(cgroup, cgroup.group, limits, heldBytes);
  for (const [i, counter] of writeCounters.entries()) {
    try {
      cgroup.group!.set(counter, writeTexts[i]!);
    } catch (error) {
      if (OPTIONAL.includes(COUNTERS[counter]!)) continue;
      cgroup.forgetLimits();
      throw error;
    }
  }
}
