// `cpu_shares`: what executions get of a CPU that they all want.
import { afterAll, beforeAll, expect, test } from 'vitest';
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

test('four times the shares are four times the time', async () => {
  const fates = await Promise.all([spin(1024), spin(4096)]);
  expect(fates.map(({ status }) => status)).toEqual(['timeout', 'timeout']);
  const [one, four] = fates.map(({ result }) => result!.resource_usage!.cpu_time_ms!);
  expect(four! / one!).toBeGreaterThan(3);
  expect(four! / one!).toBeLessThan(5);
});

test('the default is the same, said or not', async () => {
  const fates = await Promise.all([spin(), spin(512)]);
  const [unsaid, said] = fates.map(({ result }) => result!.resource_usage!.cpu_time_ms!);
  expect(unsaid! / said!).toBeGreaterThan(0.75);
  expect(unsaid! / said!).toBeLessThan(1.33);
});

test('the ends of the range are served', async () => {
  for (const cpu_shares of [2, 262_144]) {
    const limits = { timeout_ms: 10_000, memory_mb: 64, cpu_shares };
    expect((await talk.run({ code: 'echo on', limits })).stdout).toBe('on\n');
  }
});
