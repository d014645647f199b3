import { expect, test } from 'vitest';
import { createRuntimes } from './runtimes.js';
import { FakeRunner } from './testing/fake-engine.js';

test('a runner without standby starts each program with its code in its files, and says why none waits', async () => {
  const engine = new FakeRunner();
  await using runtimes = createRuntimes({ engine, standby: { python: 2 } });
  await runtimes.ready();
  await runtimes.spawn({ language: 'python', code: 'print(1)', limits: { wallTimeMs: 5 } });
  const [[, args, options]] = engine.spawned as [[string, string[], Record<string, unknown>]];
  expect(args.at(-1)).toBe('main.py');
  expect(options).toMatchObject({
    files: { 'main.py': 'print(1)' },
    limits: { wallTimeMs: 5 },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  expect(options).not.toHaveProperty('entry');
  expect(options).not.toHaveProperty('fresh');
  expect(runtimes.counters().python).toMatchObject({
    waiting: 0,
    cold: 1,
    reason: expect.stringContaining('one machine'),
  });
});
