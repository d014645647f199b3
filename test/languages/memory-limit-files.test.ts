// Node in an engine whose sandboxes tell their memory limit in files: no flag, and the heap of a cgroup of
// that size.

import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { createRuntimes, languages, TOLD_MEMORY_MOUNTS } from '@sbx/languages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MiB } from '../helpers/engine.js';
import { sleep } from '../helpers/wait.js';
import { isSkipped } from './installed.js';

let told: Engine;
beforeAll(async () => {
  told = await Engine.open({ mounts: [...DEFAULT_MOUNTS, ...TOLD_MEMORY_MOUNTS] });
});
afterAll(() => told.close());

/** Objects that live while the next `aliveMiB` are made, 8 times as many in all. */
const churn = (aliveMiB: number) => `
const alive = [];
for (let made = 0; made < ${8 * aliveMiB}; made += 1) {
  const chunk = []; // 0.9 MiB
  for (let i = 0; i < 16384; i += 1) chunk.push({ i, made, next: null });
  alive[made % ${aliveMiB}] = chunk;
}
console.log(alive.length)`;

const FACTS = `const { heap_size_limit } = require('v8').getHeapStatistics();
console.log(process.execArgv.length, Math.round(heap_size_limit / 2 ** 20 / 16) * 16)`;

describe.skipIf(isSkipped('javascript'))('a told memory limit', () => {
  const run = (engine: Engine, code: string, memoryBytes: number | null) =>
    languages.runCode({
      engine,
      language: 'javascript',
      code,
      limits: { memoryBytes, cpuTimeMs: 120_000, wallTimeMs: 120_000 },
    });

  test.each([
    [128, 256], // V8's least
    [512, 256],
    [1024, 512],
    [2048, 1024],
  ])('%i MiB: a heap of %i MiB, without a flag', async (limitMiB, wanted) => {
    const { stdout } = await run(told, FACTS, limitMiB * MiB);
    const [flags, heapMiB] = stdout.text().split(' ').map(Number);
    expect(flags).toBe(0);
    expect(Math.abs(heapMiB! - wanted)).toBeLessThanOrEqual(64); // and the space for new objects
  });

  test.each([[128], [256], [512]])(
    'a quarter of %i MiB may stay alive while much is made',
    async (limitMiB) => {
      const result = await run(told, churn(limitMiB / 4), limitMiB * MiB);
      expect(result).toMatchObject({ status: 'ok', exitCode: 0 });
    },
  );

  test('one that waits serves its own limit alone, and the next one like it', async () => {
    const limits = { memoryBytes: 222 * MiB };
    await using runtimes = createRuntimes({ engine: told, standby: { javascript: 1 } });
    await runtimes.ready();
    const printed = (await run(told, FACTS, limits.memoryBytes)).stdout.text();
    for (const _ of [1, 2, 3, 4]) {
      await using program = await runtimes.spawn({ language: 'javascript', code: FACTS, limits });
      expect(await program.stdout!.text()).toBe(printed);
      await program.result;
      await sleep(100); // another is started 20 ms after the hand-over
      await runtimes.ready();
    }
    const { warm, cold } = runtimes.counters().javascript!;
    expect([warm + cold, warm > 0, cold > 0]).toEqual([4, true, true]);
  });
});
