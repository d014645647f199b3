// How work spreads: over workers, over tenants, and files over workers. With 2 CPUs only jobs that wait can
// gain by more workers.
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { type ClusterEngine, startWorker, type Worker } from '@sbx/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { timed, waitedForCpuMs } from '../helpers/wait.js';
import { Nats } from './nats.js';
import { openEngine } from './nodes.js';

const WORKERS = 4;
const SLOTS = 2;
const JOB_SECONDS = 0.2;
const FILE_BYTES = 100 * 2 ** 20;

let nats: Nats;
let engine: ClusterEngine;
const workers: Worker[] = [];

beforeEach(async () => {
  nats = await Nats.start();
  // All workers are of this process: while it copies files, no lease is extended.
  engine = await openEngine({ servers: nats.url, queueLength: 20_000, leaseMs: 10_000 });
}, 120_000);

afterEach(async () => {
  await engine.close();
  await Promise.all(workers.splice(0).map((worker) => worker.close()));
  await nats.stop();
});

async function addWorkers(count: number): Promise<void> {
  const options = { servers: nats.url, slots: SLOTS, languages: [] };
  const added = await Promise.all(Array.from({ length: count }, () => startWorker(options)));
  workers.push(...added);
  await expect.poll(() => engine.info().parallelism, { timeout: 10_000 }).toBe(workers.length * SLOTS);
}

/**
 * Jobs per second that sleep for `JOB_SECONDS`. All workers, and who asks them, are of this process: while
 * others have its CPU nobody starts a job. That time does not count, as far as the jobs did not sleep in it.
 */
async function rate(count: number): Promise<number> {
  const sleepOnce = () => engine.run('sleep', [`${JOB_SECONDS}`]);
  await Promise.all(workers.map(sleepOnce));
  const waitedMs = waitedForCpuMs();
  const { ms } = await timed(() => Promise.all(Array.from({ length: count }, sleepOnce)));
  const seconds = (ms - (waitedForCpuMs() - waitedMs)) / 1000;
  return count / Math.max(seconds, (count * JOB_SECONDS) / (workers.length * SLOTS));
}

test(`${WORKERS} workers do ${WORKERS} times as many jobs that wait as one`, async () => {
  await addWorkers(1);
  const one = await rate(20);
  await addWorkers(WORKERS - 1);
  const all = await rate(80);
  process.stderr.write(
    `sleep ${JOB_SECONDS}: ${one.toFixed(1)} and ${all.toFixed(1)} jobs/s, ratio ${(all / one).toFixed(2)}, ${availableParallelism()} CPUs\n`,
  );
  expect(all / one).toBeGreaterThan(3.8);
}, 60_000);

test('a tenant with 10,000 jobs delays another with 10 by its share only', async () => {
  await addWorkers(1);
  let endedOfA = 0;
  const count = () => {
    endedOfA += 1;
  };
  const submit = (tenant: string, index: number) =>
    engine.submit({ id: `${tenant}-${index}`, tenant, request: { file: '/bin/true' } });
  const many = Array.from({ length: 10_000 }, (_, index) => submit('A', index));
  for (const ticket of await Promise.all(many)) void ticket.result.then(count, () => undefined);
  const few = await Promise.all(Array.from({ length: 10 }, (_, index) => submit('B', index)));
  const before = endedOfA;
  await Promise.all(few.map(({ result }) => result));
  const meanwhile = endedOfA - before;
  process.stderr.write(`jobs of A that ended until the 10 of B had: ${meanwhile}\n`);
  expect(meanwhile).toBeLessThan(40); // 10 in turn with B's, and those that were at the broker before
}, 60_000);

test('a file of 100 MiB comes to each worker once', async () => {
  await addWorkers(WORKERS);
  const bytes = Buffer.alloc(FILE_BYTES, 'abcdefg');
  const hash = createHash('sha256').update(bytes).digest('hex');
  const options = { files: { big: bytes }, limits: { diskBytes: 2 * FILE_BYTES } };
  const runs = Array.from({ length: WORKERS * SLOTS }, () => engine.run('sha256sum', ['big'], options));
  for (const { stdout } of await Promise.all(runs)) expect(stdout.text()).toBe(`${hash}  big\n`);
  const fetches = workers.map((worker) => worker.describe().cache.fetches);
  expect(fetches).toEqual(workers.map(() => 1));
}, 120_000);
