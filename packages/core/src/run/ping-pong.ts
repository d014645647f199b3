/**
 * The programs of a group that ask and answer each other (ping-pong), as opposed to the stages of a pipeline.
 * Pure.
 */
import type { GroupPipe } from '../types/group.js';

/**
 * Indices of programs that a line can come back to, through pipes of the kernel's alone. Relayed lines wait
 * for the host.
 */
export function pingPongPrograms(pipes: readonly GroupPipe[]): ReadonlySet<number> {
  const readers = new Map<number, number[]>();
  for (const { from, to, record, relay } of pipes) {
    if (record !== undefined || relay !== undefined || from.index === to.index) continue;
    const known = readers.get(from.index);
    if (known === undefined) readers.set(from.index, [to.index]);
    else known.push(to.index);
  }
  return new Set([...readers.keys()].filter((index) => comesBack(readers, index)));
}

function comesBack(readers: ReadonlyMap<number, readonly number[]>, start: number): boolean {
  const reached = new Set<number>();
  const left = [start];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for (const reader of readers.get(at) ?? []) {
      if (reader === start) return true;
      if (reached.has(reader)) continue;
      reached.add(reader);
      left.push(reader);
    }
  }
  return false;
}
