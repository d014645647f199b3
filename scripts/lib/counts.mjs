// Counts of what was tested, the one line they are printed as, and the file in which .ci/run finds them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { scratch } from './paths.mjs';

/** `failures` says in a line or more what each failure was, as far as it is known. */
export function addCounts(left, right) {
  const sum = (key) => (left[key] ?? 0) + (right[key] ?? 0);
  const failures = [...(left.failures ?? []), ...(right.failures ?? [])];
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped'), failures };
}

export function countLine({ passed, failed, skipped }) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

/** The last count line of an output, or null when there is none. */
export function readCountLine(output) {
  const last = [...output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].at(-1);
  return last ? { passed: Number(last[1]), failed: Number(last[2]), skipped: Number(last[3] ?? 0) } : null;
}

/** `name` is of the command that counted. */
export function writeCounts(name, counts) {
  mkdirSync(scratch, { recursive: true });
  writeFileSync(join(scratch, `counts-${name}.json`), JSON.stringify(counts));
}
