import type { Runner, RunnerProcess } from '@sbx/core';
import { expect, test } from 'vitest';
import { createRuntimes } from './runtimes.js';
import { makeResult } from './testing/fake-engine.js';

/** Starts nothing, and remembers what it was asked for. */
class FakeRunner implements Runner {
  readonly spawned: unknown[][] = [];
  readonly isReady = true;
  info = () => ({}) as ReturnType<Runner['info']>;
  counters = () => ({}) as ReturnType<Runner['counters']>;
  runGroup = async () => ({}) as never;
  close = async () => {};
  [Symbol.asyncDispose] = async () => {};

  async run(_file: string, args: readonly string[] = []) {
    return makeResult({
      stdout: args
        .slice(3)
        .map((need) => `/usr/bin/${need}\n`)
        .join(''),
    });
  }

  async spawn(...call: unknown[]): Promise<RunnerProcess> {
    this.spawned.push(call);
    return { stdin: null } as RunnerProcess;
  }
}

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
