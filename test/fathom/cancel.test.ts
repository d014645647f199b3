// Our client against our server: a cancel at every point of a life, and nothing runs on.
import { type ExecutionEvent, FathomClient } from '@sbx/fathom-client';
import { describe, expect, test } from 'vitest';
import { sleep, until } from '../helpers/wait.js';
import { useServer } from './server.js';

const target = useServer({ parallelism: 2, queueLength: 64, standby: { python: 1 } });
const connect = () => new FathomClient({ url: target.http });
const isIdle = () => {
  const { active, waiting } = target.server.load();
  return active === 0 && waiting === 0;
};
const FOREVER: [string, string][] = [
  ['python', 'import time\nprint("x", flush=True)\ntime.sleep(600)'],
  ['javascript', 'console.log("x"); setTimeout(() => {}, 600_000)'],
  ['shell', 'echo x; sleep 600'],
];
const limits = { timeoutMs: 60_000 };

describe.each(FOREVER)('%s', (language, code) => {
  test.each([false, true])('right after execute(), connected: %j', async (isConnected) => {
    await using client = connect();
    if (isConnected) await client.connect();
    const execution = client.execute({ language, code, limits });
    execution.cancel();
    expect(await execution).toMatchObject({ status: 'cancelled', exitCode: null, durationMs: 0 });
    await client.ping();
    expect(isIdle()).toBe(true);
  });

  test.each<ExecutionEvent['kind']>(['accepted', 'started', 'stdout'])('when it is %s', async (kind) => {
    await using client = connect();
    const execution = client.execute({ language, code, limits });
    for await (const event of execution) if (event.kind === kind) execution.cancel();
    expect((await execution).status).toBe('cancelled');
    await until(5000, 'nothing runs on', isIdle);
  });
});

test('at any moment, with others around: cancelled or its own end, never an error', async () => {
  await using client = connect();
  const runs = Array.from({ length: 60 }, async (_, number) => {
    const execution = client.execute({ language: 'shell', code: 'echo x', limits });
    await sleep((number * 37) % 120);
    execution.cancel();
    execution.cancel();
    return (await execution).status;
  });
  for (const status of await Promise.all(runs)) expect(['cancelled', 'completed']).toContain(status);
  await until(5000, 'nothing runs on', isIdle);
});
