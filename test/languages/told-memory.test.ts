// Node in an engine whose files tell a memory limit: no flag, and still it collects garbage before the sandbox's limit.

import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { createRuntimes, languages, TOLD_MEMORY_MOUNTS } from '@sbx/languages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { MiB } from '../helpers/engine.js';
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

const FACTS = `console.log(process.execArgv.join(), Math.round(require('v8').getHeapStatistics().heap_size_limit / 2 ** 28))`;

describe.skipIf(isSkipped('javascript'))('a told memory limit', () => {
  const run = (engine: Engine, code: string, memoryBytes: number | null) =>
    languages.runCode({
      engine,
      language: 'javascript',
      code,
      limits: { memoryBytes, cpuTimeMs: 120_000, wallTimeMs: 120_000 },
    });

  test('takes the place of the flag up to half of it', async () => {
    for (const memoryBytes of [64 * MiB, 256 * MiB, 1024 * MiB])
      expect((await run(told, FACTS, memoryBytes)).stdout.text()).toBe(' 4\n');
  });

  test.each([
    [1025 * MiB, '--max-old-space-size=1025,--max-semi-space-size=16 4\n'],
    [null, '--max-old-space-size=4096,--max-semi-space-size=16 16\n'],
  ])('a limit of %j is told by flags', async (memoryBytes, printed) => {
    expect((await run(told, FACTS, memoryBytes)).stdout.text()).toBe(printed);
  });

  test.each([[128], [256], [512]])(
    'a quarter of %i MiB may stay alive while much is made',
    async (limitMiB) => {
      const result = await run(told, churn(limitMiB / 4), limitMiB * MiB);
      expect(result).toMatchObject({ status: 'ok', exitCode: 0 });
    },
  );

  test('one that keeps more than its limit is killed by it, and does not crash', async () => {
    expect((await run(told, churn(300), 256 * MiB)).status).toBe('memory-limit');
  });

  test('one that waits serves any limit that is told so', async () => {
    await using runtimes = createRuntimes({ engine: told, standby: { javascript: 1 } });
    for (const limitMiB of [111, 222, 333]) {
      await runtimes.ready();
      const options = { language: 'javascript', code: FACTS, limits: { memoryBytes: limitMiB * MiB } };
      await using program = await runtimes.spawn(options);
      expect(await program.stdout!.text()).toBe(' 4\n');
      await program.result;
    }
    expect(runtimes.counters().javascript).toMatchObject({ warm: 3, cold: 0 });
  });
});
