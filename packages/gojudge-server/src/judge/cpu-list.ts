/**
 * Lists of CPUs as go-judge takes them: it writes the text into `cpuset.cpus`, so that what counts is how the
 * kernel reads it there (`bitmap_parselist` in lib/bitmap-str.c): numbers and ranges as in `0-3,5`, commas
 * and white space between them and around them, `N` for the last CPU, `all`, and the first CPUs of each group
 * of a range: `0-7:1/2` is 0, 2, 4 and 6.
 */
import { readFileSync } from 'node:fs';
import { formatCpuList } from '@sbx/shared';

/** As go-judge tells it. */
export const BAD_CPU_SET = 'execve: cgroup: failed to set cpuset limit: write cpuset.cpus: invalid argument';

/** The kernel is built for at most so many. */
const CPU_COUNT_MAX = 8192;
const TEXT_LENGTH_MAX = 4096;
const GAP = /[\s,]*/y;
const REGION = /(?:[aA][lL][lL]|(\d+|N)-(\d+|N))(?::(\d+|N)\/(\d+|N)|(?=[\s,]|$))|(\d+|N)(?=[\s,]|$)/y;

/**
 * In numbers and ranges alone, `''` for none of them; `null` for what the kernel refuses. `lastCpu` is asked
 * where the list does not name it by its number.
 */
export function plainCpuList(text: string, lastCpu: () => number = lastPossibleCpu): string | null {
  if (text.length > TEXT_LENGTH_MAX || /[^\0-\x7f]/.test(text)) return null;
  const [line] = text.split('\0', 1) as [string]; // where it ends for the kernel
  const cpus = new Uint8Array(CPU_COUNT_MAX);
  for (let at = skipGap(line, 0); at < line.length; at = skipGap(line, at)) {
    REGION.lastIndex = at;
    const region = REGION.exec(line);
    if (region === null || !addRegion(cpus, region, lastCpu)) return null;
    at = REGION.lastIndex;
    if (line[at] === '\n' && region[3] === undefined) break; // the kernel reads no second line
  }
  return formatCpuList([...cpus.keys()].filter((cpu) => cpus[cpu] === 1));
}

function skipGap(line: string, at: number): number {
  GAP.lastIndex = at;
  GAP.exec(line);
  return GAP.lastIndex;
}

/** False for what the kernel refuses. */
function addRegion(cpus: Uint8Array, region: RegExpExecArray, lastCpu: () => number): boolean {
  const [, first, last, used, group, single] = region;
  const numberOf = (digits: string | undefined, otherwise: number) =>
    digits === undefined ? otherwise : digits === 'N' ? lastCpu() : Number(digits);
  const start = numberOf(first ?? single, 0);
  const end = first === undefined && single === undefined ? lastCpu() : numberOf(last, start);
  const groupSize = numberOf(group, end + 1);
  const usedCount = numberOf(used, groupSize);
  if (start > end || end >= CPU_COUNT_MAX || groupSize === 0 || usedCount > groupSize) return false;
  for (let at = start; at <= end; at += groupSize) cpus.fill(1, at, Math.min(at + usedCount, end + 1));
  return true;
}

/** Of those that the kernel has room for, as it counts them itself. */
function lastPossibleCpu(): number {
  const possible = readFileSync('/sys/devices/system/cpu/possible', 'utf8');
  return Number(/(\d+)\s*$/.exec(possible)?.[1] ?? 0);
}
