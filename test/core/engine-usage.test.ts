// What an engine's sandboxes use together.
import { Engine } from '@sbx/core';
import { expect, test } from 'vitest';

test('CPU time of programs that have ended stays in the sum, memory is what is held', async () => {
  await using engine = await Engine.open({ parallelism: 1 });
  const before = engine.usage();
  const result = await engine.run('/bin/sh', ['-c', 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done']);
  const after = engine.usage();
  expect(after.cpuTimeMs! - before.cpuTimeMs!).toBeGreaterThanOrEqual(result.usage.cpuTimeMs);
  expect(after.memoryBytes!).toBeGreaterThan(0);
  expect(after.memoryPeakBytes!).toBeGreaterThanOrEqual(after.memoryBytes!);
});

test('without cgroups nothing is counted', async () => {
  await using engine = await Engine.open({ parallelism: 1, cgroup: 'none', require: [] });
  expect(engine.usage()).toEqual({ cpuTimeMs: null, memoryBytes: null, memoryPeakBytes: null });
});
