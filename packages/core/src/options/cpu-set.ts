/** The kernel's syntax for sets of CPUs: numbers and ranges, `'0-1,3'`. */

import { quote } from './describe.js';
import { type Problem, problem, throwProblem, wrongType } from './problem.js';

/** The kernel is built for at most 8192 CPUs. */
const CPU_MAX = 8191;
const TEXT_LENGTH_MAX = 4096;
const EXPECTED = "must be a list of CPU numbers and ranges such as '0-1,3', or null for all";

/** Checks the syntax; whether the machine has these CPUs is the engine's question. */
export function checkCpuSet(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType("a list of CPUs such as '0-1,3', or null for all", value);
  if (parse(value) !== null) return null;
  return problem('format', `${EXPECTED}, each from 0 to ${CPU_MAX}`, quote(value));
}

/** `'3,0-1'` → `[0, 1, 3]`, sorted and without repetitions. Throws `InvalidOptionsError`. */
export function parseCpuSet(text: string): number[] {
  return parse(text) ?? throwProblem('cpuSet', checkCpuSet(text)!);
}

function parse(text: string): number[] | null {
  if (text.length > TEXT_LENGTH_MAX) return null;
  const cpus = new Set<number>();
  // Without repetitions no list names more than all: keeps '0-8191,0-8191,…' from costing a peer's whole
  // second.
  let named = 0;
  for (const part of text.split(',')) {
    const match = /^(\d{1,4})(?:-(\d{1,4}))?$/.exec(part.trim());
    if (match === null) return null;
    const first = Number(match[1]);
    const last = Number(match[2] ?? match[1]);
    named += last - first + 1;
    if (first > last || last > CPU_MAX || named > CPU_MAX + 1) return null;
    for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
  }
  return [...cpus].sort((a, b) => a - b);
}
