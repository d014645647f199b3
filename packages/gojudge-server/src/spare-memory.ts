/** What the command does so that a burst of requests leaves no memory behind. */
import { setFlagsFromString } from 'node:v8';
import type { Engine } from '@sbx/core';

const MiB = 2 ** 20;

/** When memory that nobody uses is given back to the system. */
export interface SpareMemoryOptions {
  /** So much more than the last time. Default 2 MiB. */
  growthBytes?: number;
  /** How often that is looked at; 0 or less: never. Default 5000. */
  intervalMs?: number;
}

/**
 * To be called when the server listens, for the rest of the process's life. V8's space for young objects stays at its first
 * size, 1 MiB, instead of growing to 32 in a burst: what requests leave behind is garbage by then in either (a go-judge server
 * under load held 72 instead of 137 MiB, with the same CPU time and latencies; streaming output to clients, as Fathom does, it
 * would cost a third of the throughput). Everything should be loaded by then: V8 refuses cached code of Node's own modules
 * after a change of flags. And what the allocator keeps of large bodies and outputs goes back to the system.
 */
export function spareMemory(
  engine: Engine,
  { growthBytes = 2 * MiB, intervalMs = 5000 }: SpareMemoryOptions = {},
): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  if (intervalMs <= 0) return;
  let level = process.memoryUsage.rss();
  const look = () => {
    const now = process.memoryUsage.rss();
    if (now > level + growthBytes) {
      engine.trimMemory();
      level = process.memoryUsage.rss(); // what is left is in use
    } else level = Math.min(level, now);
  };
  setInterval(look, intervalMs).unref();
}
