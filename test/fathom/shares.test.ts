// `cpu_shares`: what executions get of a CPU that they all want.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { expectMedianBetween } from '../helpers/bounds.js';
import { Talk, useServer } from './server.js';

// Elsewhere each may have a CPU for itself, and shares would say nothing.
const served = useServer({ limits: { cpuSet: '0' } });
let talk: Talk;
beforeAll(async () => {
  talk = await Talk.open(served.url);
});
afterAll(async () => {
  await talk.close();
});

const spin = (cpu_shares?: number) =>
  talk.run({ code: 'while :; do :; done', limits: { timeout_ms: 3000, memory_mb: 64, cpu_shares } });

/** The time that the second gets, by that of the first. */
async function ratio(first: number | undefined, second: number | undefined): Promise<number> {
  const fates = await Promise.all([spin(first), spin(second)]);
  expect(fates.map(({ status }) => status)).toEqual(['timeout', 'timeout']);
  const [one, other] = fates.map(({ result }) => result!.resource_usage!.cpu_time_ms!);
  return other! / one!;
}

test('four times the shares are four times the time', { timeout: 60_000 }, () =>
  expectMedianBetween(3, 5, () => ratio(1024, 4096)),
);

test('the default is the same, said or not', { timeout: 60_000 }, () =>
  expectMedianBetween(0.75, 1.33, () => ratio(512, undefined)),
);

test('the ends of the range are served', async () => {
  for (const cpu_shares of [2, 262_144]) {
    const limits = { timeout_ms: 10_000, memory_mb: 64, cpu_shares };
    expect((await talk.run({ code: 'echo on', limits })).stdout).toBe('on\n');
  }
});
