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

const NS_PER_MS = 1e6;

/** Of times in /proc/stat, whatever the kernel's own ticks are. */
const MS_PER_TICK = 10;

/** `steal`, the eighth time of each CPU (proc_stat(5)). */
function stolenTicks(): number[] {
  const lines = (readOrNull('/proc/stat') ?? '').split('\n').filter((line) => /^cpu\d/.test(line));
  return lines.map((line) => Number(line.split(' ')[8]));
}

interface Timed<T> {
  value: T;
  ms: number;
  /**
   * How long the machine below kept a CPU from this kernel meanwhile, in ms, of the one that lacked it the
   * longest: nothing that runs there can be in time then. Rented machines whose CPUs are all busy lose them
   * for 100 ms at a time. 0 where there is no machine below, or it does not say.
   */
  stolenMs: number;
}

/** The value of `work`, and how long it took, in ms. */
export async function timed<T>(work: () => Promise<T>): Promise<Timed<T>> {
  const before = stolenTicks();
  const start = performance.now();
  const value = await work();
  const ms = performance.now() - start;
  const ticks = stolenTicks().map((after, cpu) => after - (before[cpu] ?? after));
  return { value, ms, stolenMs: Math.max(0, ...ticks) * MS_PER_TICK };
}

/**
 * As `timed`, less the longest moment for which this process itself was not given a CPU, or was busy, or for
 * which the machine below kept one: nobody could have seen an answer then. For bars on what others do.
 */
export async function timedByOthers<T>(work: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const resolution = 1;
  const delay = monitorEventLoopDelay({ resolution });
  delay.enable();
  const { value, ms, stolenMs } = await timed(work);
  delay.disable();
  return { value, ms: ms - Math.max(stolenMs, delay.max / NS_PER_MS - resolution) };
}

/**
 * How long the first thread of this process has been ready to run while others had the CPUs, in ms: the
 * witness of a busy machine. 0 where the kernel does not say.
 */
export const waitedForCpuMs = () =>
  Number(readOrNull('/proc/self/schedstat')?.split(' ')[1] ?? 0) / NS_PER_MS;
