// Workers, submitters and one of three brokers are killed at random while 2,000 jobs run: each has one
// result, and nothing is left.
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { type ClusterEngine, type ClusterOptions, type ClusterTicket, clusterStatus } from '@sbx/cluster';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Nats } from './nats.js';
import {
  describeJobs,
  openEngine,
  startSubmitterProcess,
  startWorkerProcess,
  type TestNode,
} from './nodes.js';

/** In which all jobs have to end; some 60 s on a quiet machine. */
const JOBS_MS = 240_000;
const JOB_COUNT = 2000;
const WORKER_COUNT = 3;
const tag = `chaos-${randomUUID()}`;
const jobs = Array.from({ length: JOB_COUNT }, (_, index) => ({
  id: `job-${index}`,
  maxAttempts: 50,
  request: { file: 'sh', args: ['-c', `sleep 0.0${index % 7}; echo ${index} $(date +%N)`, tag] },
}));

let brokers: Nats[];
let servers: string[];
const workers: TestNode[] = [];
let isOver = false;

beforeAll(async () => {
  brokers = await Nats.startThree();
  servers = brokers.map(({ url }) => url);
  await (await openOnceLed({})).close();
  for (let index = 0; index < WORKER_COUNT; index += 1) workers.push(await addWorker());
}, 120_000);

afterAll(async () => {
  await Promise.all(workers.map((worker) => worker.kill()));
  await Promise.all(brokers.map((broker) => broker.stop()));
});

/** As a service manager does: a worker that finds no leader of the brokers ends, and is started again. */
async function addWorker(): Promise<TestNode> {
  for (;;) {
    const worker = await startWorkerProcess({ servers, slots: 2, replicas: 3 }).catch(() => null);
    if (worker !== null) return worker;
  }
}

/** As a program that is started again while the brokers have no leader. */
async function openOnceLed(options: Partial<ClusterOptions>): Promise<ClusterEngine> {
  for (;;) {
    const engine = await openEngine({ servers, replicas: 3, ...options }).catch(() => null);
    if (engine !== null) return engine;
    await pause(500);
  }
}

/** Rejects after a while with what the broker says of the jobs that are open. */
async function resultsOf(tickets: readonly ClusterTicket[]): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(describeJobs(servers, tickets))), JOBS_MS);
  });
  const all = Promise.all(tickets.map(async ({ result }) => (await result).stdout.text()));
  return Promise.race([all, late]).finally(() => clearTimeout(timer));
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const pick = (count: number) => Math.floor(Math.random() * count);

/** Kinds of kill, in turn, until the jobs are done; what was killed is started again. */
async function harm(counts: Record<string, number>): Promise<void> {
  const part = jobs.slice(0, JOB_COUNT / 2);
  while (!isOver) {
    const index = pick(WORKER_COUNT);
    await workers[index]!.kill();
    workers[index] = await addWorker();
    counts.workers! += 1;
    await pause(300);
    const options = { servers, replicas: 3, orphanGraceMs: 0, jobs: part };
    const submitter = await startSubmitterProcess(options).catch(() => null); // no leader
    await pause(700);
    await submitter?.kill();
    if (submitter !== null) counts.submitters! += 1;
    const broker = brokers[pick(brokers.length)]!;
    await broker.kill();
    counts.brokers! += 1;
    await pause(1000);
    await broker.start();
    await broker.healthy(); // it has to catch up before the next one goes: two of three must be there
    await pause(1000);
  }
}

function taggedProcesses(): number {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(tag);
    } catch {
      return false;
    }
  }).length;
}

test(`${JOB_COUNT} jobs under kills: one accepted result for each, none lost, none doubled, nothing left`, async () => {
  const engine = await openOnceLed({ maxAttempts: 50, orphanGraceMs: 0 });
  const counts = { workers: 0, submitters: 0, brokers: 0 };
  const harming = harm(counts);
  const tickets = await Promise.all(jobs.map((job) => engine.submit(job)));
  const results = await resultsOf(tickets).finally(() => {
    isOver = true;
    return harming;
  });
  await Promise.all(brokers.map((broker) => broker.healthy()));
  expect(results.map((text) => Number.parseInt(text, 10))).toEqual(jobs.map((_, index) => index));
  expect(engine.counters().byStatus.ok).toBe(JOB_COUNT);
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(1);

  // The same ids again, from a submitter that never saw them: the records that were accepted, and no other.
  const again = await openOnceLed({});
  for (const [index, job] of jobs.slice(0, 100).entries()) {
    const ticket = await again.submit(job);
    expect((await ticket.result).stdout.text()).toBe(results[index]); // of a second run it would be another
  }
  await again.close();
  await expect
    .poll(async () => (await clusterStatus({ servers, replicas: 3 })).queue, { timeout: 30_000 })
    .toMatchObject({ waiting: 0, running: 0 });
  await expect.poll(taggedProcesses, { timeout: 5000 }).toBe(0);
  process.stderr.write(`kills: ${JSON.stringify(counts)}, second attempts: ${engine.secondAttempts}\n`);
  await engine.close();
}, 600_000);
