// Waiting without guessing: look again until it holds or the time is over, and say what did not hold.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { readOrNull } from './proc.js';

export { sleep };

/** Polls `problems` until it returns an empty list; fails with the last list when `withinMs` is over. */
export async function eventually(
  withinMs: number,
  problems: () => readonly string[] | Promise<readonly string[]>,
): Promise<void> {
  const end = performance.now() + withinMs;
  for (;;) {
    const left = await problems();
    if (left.length === 0) return;
    if (performance.now() >= end) return expect(left, `after ${withinMs} ms`).toEqual([]);
    await sleep(10);
  }
}

export async function until(
  withinMs: number,
  what: string,
  holds: () => boolean | Promise<boolean>,
): Promise<void> {
  await eventually(withinMs, async () => ((await holds()) ? [] : [what]));
}

/** The value of `work` and how long it took, in ms. */
export async function timed<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const start = performance.now();
  const value = await work();
  return { value, ms: performance.now() - start };
}

const NS_PER_MS = 1e6;

/**
 * As `timed`, less the longest moment for which this process itself was not given a CPU, or was busy: it
 * could not have seen an answer then. For bars on what others do.
 */
export async function timedByOthers<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const resolution = 1;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const { value, ms } = await timed(work);
  delay.disable();
  return { value, ms: ms - Math.max(0, delay.max / NS_PER_MS - resolution) };
}

/**
 * How long the first thread of this process has been ready to run while others had the CPUs, in ms: the
 * witness of a busy machine. 0 where the kernel does not say.
 */
export const waitedForCpuMs = () =>
  Number(readOrNull('/proc/self/schedstat')?.split(' ')[1] ?? 0) / NS_PER_MS;
