import { expect, test } from 'vitest';
import { simulate } from './simulation.js';

/** Seeds that broke a promise once; they are run first. */
const FORMER_FAILURES: readonly number[] = [];
const COUNT = Number(process.env.SBX_SCHEDULES ?? 10_000);

test.each(FORMER_FAILURES)('schedule %i', async (seed) => {
  await simulate(seed);
});

test(`${COUNT} schedules of lost, late and reordered messages, parted and killed processes`, async () => {
  let secondAttempts = 0;
  let lost = 0;
  for (let seed = 1; seed <= COUNT; seed += 1) {
    const schedule = await simulate(seed);
    secondAttempts += schedule.secondAttempts;
    lost += schedule.lost;
  }
  // Else the schedules are too tame to say anything.
  expect(secondAttempts).toBeGreaterThan(COUNT / 20);
  expect(lost).toBeGreaterThan(COUNT / 100);
}, 120_000);
