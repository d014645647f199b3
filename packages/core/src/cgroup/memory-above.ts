/**
 * Memory that ran out above a sandbox: in a container around the engine, or on the whole machine. The kernel
 * kills whom it finds to be the largest then, within its limit or not, and counts that in its group as it
 * counts those who were over their own.
 */
import { readFileSync } from 'node:fs';
import { SandboxError } from '../errors.js';
import type { EndedMessage } from '../native/native.js';
import { lineOf, numberOf } from './counters.js';
import type { Group } from './group.js';

/** The most that the kernel charges at once to a group that is nearly full (native/helper/counters.cc). */
const CHARGE_BYTES_MAX = 32 * 1024;
/** v1 writes no limit as the greatest number of pages. */
const UNLIMITED_BYTES = 2 ** 60;

type Bounds = Pick<Group, 'layout' | 'read' | 'has'>;

/**
 * For a program of which the kernel killed a process: the error in the place of a verdict, where none of the
 * groups that bound it (its own, its sandbox's) was full. `null`: it was one of them, or nobody can tell, or
 * the program had been ended for another reason, or has no limit but the machine.
 */
export function memoryAbove(ended: EndedMessage, groups: readonly (Bounds | null)[]): SandboxError | null {
  if (ended.cause === 'killed' || ended.cause === 'output-limit') return null;
  const bounded = groups.filter((group) => group !== null).filter(isBounded);
  if (bounded.length === 0 || bounded.some(mayHaveBeenFull)) return null;
  const message =
    'Memory ran out above the sandbox, on the machine or in a container around the engine, and the kernel killed a process of the program, which was within its own limit. Run fewer at once, or give the engine more';
  const details = { memoryPeakBytes: ended.memoryPeakBytes };
  return new SandboxError({ code: 'SBX_HOST_MEMORY', message, stage: 'none', details, isPlain: true });
}

function isBounded(group: Bounds): boolean {
  const bytes = numberOf(group.read('memoryLimit')); // `null`, too, where v2 says `max`
  return bytes !== null && bytes < UNLIMITED_BYTES;
}

/** v2 counts it. With v1 the mark tells, but where swap is used: both together have a bound without one. */
function mayHaveBeenFull(group: Bounds): boolean {
  if (group.layout.version === 'v2') return lineOf(group.read('oomNotice'), 'oom') !== 0;
  const mark = numberOf(group.read('memoryPeak'));
  if (mark === null || (group.has('swapLimit') && hasSwap())) return true;
  return mark + CHARGE_BYTES_MAX >= Number(group.read('memoryLimit'));
}

function hasSwap(): boolean {
  try {
    return !/^SwapTotal:\s+0 kB$/m.test(readFileSync('/proc/meminfo', 'latin1'));
  } catch {
    return true;
  }
}
