// What several tests of limits compare with.
import { availableParallelism } from 'node:os';
import { expect } from 'vitest';
import { paced } from './pace.js';
import { timed } from './wait.js';

/** Kills are due at the limit; this is the bar for the 99th percentile of what comes after it. */
const OVERSHOOT_MS = paced(10);
/** No single kill may come later, whatever else this kernel runs. */
const OVERSHOOT_MAX_MS = paced(60);
/** CPU time of running tasks is booked at ticks of up to 4 ms (250 Hz), on each CPU. */
const BOOKED_MS = 4 * availableParallelism();
const SAMPLES = 5;

const BARS = { cpuTimeMs: OVERSHOOT_MS + BOOKED_MS, wallTimeMs: OVERSHOOT_MS } as const;

export function between(value: number | null, low: number, high: number): void {
  expect(value).toBeGreaterThanOrEqual(low);
  expect(value).toBeLessThanOrEqual(high);
}

/** The middle one, of an odd count. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

/**
 * What holds on the whole may not in a single window of time: when one is outside, the median of several
 * decides.
 */
export async function expectMedianBetween(
  low: number,
  high: number,
  sample: () => Promise<number>,
): Promise<void> {
  const seen = [await sample()];
  const isOutside = seen[0]! < low || seen[0]! > high;
  while (isOutside && seen.length < SAMPLES) seen.push(await sample());
  between(median(seen), low, high);
}

/**
 * The bar of a percentile is not that of each single run; but none may be far beyond it. For as long as the
 * machine below had taken a CPU away nothing could end there.
 */
export function expectEndedAt(
  limitMs: number,
  figure: keyof typeof BARS,
  usedMs: () => Promise<number>,
  overshootMaxMs = OVERSHOOT_MAX_MS,
): Promise<void> {
  return expectMedianBetween(limitMs, limitMs + BARS[figure], async () => {
    const { value: used, stolenMs } = await timed(usedMs);
    expect(used).toBeGreaterThanOrEqual(limitMs);
    const own = Math.max(limitMs, used - stolenMs);
    between(own, limitMs, limitMs + overshootMaxMs);
    return own;
  });
}
