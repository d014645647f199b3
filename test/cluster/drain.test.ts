import { ClusterEngine, startWorker, type Worker } from '@sbx/cluster';
import { Engine } from '@sbx/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Nats, useNats } from './nats.js';

const nats = useNats();
let local: Engine;
let engine: ClusterEngine;

beforeAll(async () => {
  local = await Engine.open({ parallelism: 8 });
  engine = await ClusterEngine.open({ servers: nats.url });
}, 120_000);

afterAll(async () => {
  await engine.close();
  await local.close();
});

function openWorker(): Promise<Worker> {
  return startWorker({ servers: nats.url, engine: local, slots: 4, languages: [] });
}

/** Living programs have one attempt, so none of them may be handed out in vain. */
async function lives(word: string): Promise<string> {
  const process = await engine.spawn('echo', [word], { stdout: 'pipe' });
  const text = await process.stdout!.text();
  await process.close();
  return text;
}

test('programs that are sent while a worker begins to drain are done, by it or by another', async () => {
  const first = await openWorker();
  const long = engine.run('sleep', ['4']);
  await expect.poll(() => first.describe().running).toBe(1);
  const before = [lives('a'), lives('b')];
  const drained = first.drain();
  const words = [lives('c'), lives('d'), lives('e'), lives('f')];
  const second = await openWorker();
  expect(await Promise.all([...before, ...words])).toEqual(['a\n', 'b\n', 'c\n', 'd\n', 'e\n', 'f\n']);
  expect(first.describe().running).toBe(1); // nothing has waited for its end
  await long;
  await drained;
  await first.close();
  await second.close();
}, 60_000);

test('a worker whose broker is away ends when its drain is over, and another does the job', async () => {
  const broker = await Nats.start();
  const options = { servers: broker.url, leaseMs: 1000 };
  const first = await startWorker({ ...options, engine: local, slots: 1, languages: [] });
  const submitter = await ClusterEngine.open(options);
  const job = submitter.run('sh', ['-c', 'sleep 1; echo done']);
  await expect.poll(() => first.describe().running).toBe(1);
  await broker.kill();
  await expect.poll(() => first.describe().running, { timeout: 5000 }).toBe(0);
  const from = performance.now();
  await first.close(1000);
  const tookMs = performance.now() - from;
  expect(tookMs).toBeGreaterThan(950);
  expect(tookMs).toBeLessThan(10_000);
  await broker.start();
  const second = await startWorker({ ...options, engine: local, slots: 1, languages: [] });
  expect((await job).stdout.text()).toBe('done\n');
  // The broker tells the worker that it has the record, too, in no order.
  await expect.poll(() => second.describe().totals.accepted, { timeout: 5000 }).toBe(1);
  await second.close();
  await submitter.close();
  await broker.stop();
}, 60_000);
