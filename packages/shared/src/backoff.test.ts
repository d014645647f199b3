import { expect, test } from 'vitest';
import { backoffMs } from './backoff.js';

const TIMES = { firstMs: 100, capMs: 1000, jitter: 0.5 };

test('waits double up to the bound', () => {
  const waits = [0, 1, 2, 3, 4, 5, 2000].map((count) => backoffMs(count, TIMES, () => 0));
  expect(waits).toEqual([100, 200, 400, 800, 1000, 1000, 1000]);
});

test('chance takes off its part, and no more', () => {
  expect(backoffMs(1, TIMES, () => 1)).toBe(100);
  expect(backoffMs(9, { ...TIMES, jitter: 0 }, () => 1)).toBe(1000);
});
