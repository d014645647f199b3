// What several tests of limits compare with.
import { expect } from 'vitest';
import { paced } from './pace.js';

/** Kills are due at the limit; this is the bar for the 99th percentile of what comes after it. */
export const OVERSHOOT_MS = paced(10);

export function between(value: number | null, low: number, high: number): void {
  expect(value).toBeGreaterThanOrEqual(low);
  expect(value).toBeLessThanOrEqual(high);
}
