import { createRequire } from 'node:module';
import { join } from 'node:path';
import { clusterStatus } from '@sbx/cluster';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { root } from '../tidy/sources.js';
import { Nats } from './nats.js';
import { openEngine, startSubmitterProcess, startWorkerProcess, type TestNode } from './nodes.js';

const natsRequire = createRequire(join(root, 'packages/cluster/package.json'));
let nats: Nats;
let nodes: TestNode[] = [];

beforeEach(async () => {
  nats = await Nats.start();
}, 120_000);

afterEach(async () => {
  await Promise.all(nodes.map((node) => node.kill()));
  nodes = [];
  await nats.stop();
});

async function addWorker(slots = 1, leaseMs?: number): Promise<TestNode> {
  const node = await startWorkerProcess({ servers: nats.url, slots, ...(leaseMs && { leaseMs }) });
  nodes.push(node);
  return node;
}

const running = async () => (await clusterStatus({ servers: nats.url })).queue.running;

test('a job whose worker is killed is done by another, and told once', async () => {
  const first = await addWorker();
  await using engine = await openEngine({ servers: nats.url });
  const ticket = await engine.submit({
    id: 'a',
    request: { file: 'sh', args: ['-c', 'sleep 1.5; echo done'] },
  });
  await expect.poll(() => ticket.state).toBe('leased');
  await first.kill();
  await addWorker();
  expect((await ticket.result).stdout.text()).toBe('done\n');
  expect(engine.counters().byStatus.ok).toBe(1);
  expect(await running()).toBe(0);
});

test.each([
  ['the lease', undefined],
  ['the lease of the broker, whatever its worker was told', 10_000],
])('a program runs for longer than %s, on one worker', async (_, leaseMs) => {
  await using engine = await openEngine({ servers: nats.url }); // whose lease the broker has
  await addWorker(1, leaseMs);
  await addWorker(1, leaseMs);
  const result = await engine.run('sh', ['-c', 'sleep 3.5; echo once']);
  expect(result.stdout.text()).toBe('once\n');
  const { totals, queue } = await clusterStatus({ servers: nats.url });
  expect([totals.superseded, queue.redelivered]).toEqual([0, 0]);
  expect(engine.metrics()).toContain('sbx_cluster_second_attempts_total 0\n');
});

test('no verdict comes from workers that were lost: WorkerLostError after the last attempt', async () => {
  const first = await addWorker();
  await using engine = await openEngine({ servers: nats.url, maxAttempts: 1 });
  const lost = engine.run('sleep', ['20']).catch((error) => error);
  await expect.poll(running).toBe(1);
  await first.kill();
  await addWorker();
  expect(await lost).toMatchObject({
    name: 'WorkerLostError',
    code: 'SBX_WORKER_LOST',
    retryable: true,
    attempts: 1,
  });
});

test('a look at a broker without a cluster finds nothing, and leaves it to others to make queue and buckets', async () => {
  expect(await clusterStatus({ servers: nats.url })).toMatchObject({ workers: [], queue: { waiting: 0 } });
  const connection = await natsRequire('@nats-io/transport-node').connect({ servers: nats.url });
  const answer = await connection.request('$JS.API.STREAM.NAMES');
  expect(answer.json().streams ?? []).toEqual([]);
  await connection.close();
});

test('the broker goes and comes back: what runs goes on, and its result comes', async () => {
  await addWorker(2);
  await using engine = await openEngine({ servers: nats.url });
  const long = engine.run('sh', ['-c', 'sleep 2; echo through']);
  await expect.poll(running).toBe(1);
  await nats.kill();
  const meanwhile = engine.run('echo', ['sent while it was away']);
  await new Promise((resolve) => setTimeout(resolve, 500));
  await nats.start();
  expect((await long).stdout.text()).toBe('through\n');
  expect((await meanwhile).stdout.text()).toBe('sent while it was away\n');
});

test('a broker that comes back without its store is set up again, with the leases that workers know', async () => {
  await using engine = await openEngine({ servers: nats.url, deadlineMs: 20_000 });
  await addWorker(1, 10_000); // extends by the leases of a second, which are there already
  expect((await engine.run('true')).status).toBe('ok');
  await nats.kill();
  nats.loseStore();
  await nats.start();
  const result = await engine.run('sh', ['-c', 'sleep 3.5; echo once']);
  expect(result.stdout.text()).toBe('once\n');
  const { workers, queue } = await clusterStatus({ servers: nats.url });
  expect([workers.length, queue.redelivered, engine.secondAttempts]).toEqual([1, 0, 0]);
});

test('the broker goes and comes back while files travel, both ways: each job has its result', async () => {
  await addWorker(4);
  await using engine = await openEngine({ servers: nats.url });
  const contents = Array.from({ length: 24 }, (_, index) => Buffer.alloc(3 * 2 ** 20 + index, `${index} `));
  const results = contents.map((bytes) =>
    engine.run('cat', [], { stdin: { bytes }, limits: { outputBytes: bytes.byteLength } }),
  );
  const ends = Promise.all(results);
  await Promise.any(results); // the others are at every step of their way
  await nats.kill();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await nats.start();
  for (const [index, { stdout }] of (await ends).entries()) {
    expect(Buffer.compare(stdout.bytes, contents[index]!)).toBe(0);
  }
}, 60_000);

test('a broker that was started again has forgotten which ids it had: the record of one comes at once all the same', async () => {
  await addWorker();
  const job = { id: 'known', request: { file: 'sh', args: ['-c', 'echo $$; date +%N'] } };
  await using engine = await openEngine({ servers: nats.url });
  const told = (await (await engine.submit(job)).result).stdout.text();
  await nats.kill();
  await nats.start();
  await using other = await openEngine({ servers: nats.url });
  await other.run('true'); // the worker is there again
  const from = performance.now();
  const ticket = await other.submit(job);
  expect((await ticket.result).stdout.text()).toBe(told);
  expect(performance.now() - from).toBeLessThan(3000); // looks for records without any word come after 5 s
});

test('jobs of a submitter that was killed end after its grace', async () => {
  await addWorker();
  const job = { id: 'orphan', request: { file: 'sleep', args: ['60'] } };
  const submitter = await startSubmitterProcess({ servers: nats.url, orphanGraceMs: 1000, jobs: [job] });
  nodes.push(submitter);
  await expect.poll(running).toBe(1);
  await submitter.kill();
  await expect.poll(running, { timeout: 15_000 }).toBe(0);
  await using engine = await openEngine({ servers: nats.url });
  const { result } = await engine.submit(job);
  // No verdict: nobody's limit was reached.
  await expect(result).rejects.toMatchObject({ code: 'SBX_JOB_CANCELLED' });
  expect((await engine.run('echo', ['free again'])).stdout.text()).toBe('free again\n');
});

test('a worker that is told to end finishes what it has, takes nothing new, and leaves', async () => {
  const worker = await addWorker();
  await using engine = await openEngine({ servers: nats.url, deadlineMs: 20_000 });
  const running = await engine.submit({
    id: 'drained',
    request: { file: 'sh', args: ['-c', 'sleep 1; echo end'] },
  });
  await expect.poll(() => running.state).toBe('leased');
  const ended = worker.kill('SIGTERM');
  expect((await running.result).stdout.text()).toBe('end\n');
  await ended;
  expect((await clusterStatus({ servers: nats.url })).workers).toEqual([]);
});
