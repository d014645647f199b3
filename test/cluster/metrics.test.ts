// Figures for Prometheus: of a worker, of a submitter, and of a server whose programs run on workers.
import { type ClusterEngine, startWorker, type Worker } from '@sbx/cluster';
import { createFathomServer } from '@sbx/fathom-server';
import { createGojudgeServer } from '@sbx/gojudge-server';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useNats } from './nats.js';
import { openEngine, QUICK, startWorkerProcess } from './nodes.js';

const nats = useNats();
let worker: Worker;
let engine: ClusterEngine;

beforeAll(async () => {
  worker = await startWorker({ servers: nats.url, ...QUICK, slots: 2, languages: [] });
  engine = await openEngine({ servers: nats.url });
}, 60_000);

afterAll(async () => {
  await engine.close();
  await worker.close();
});

/** Samples by name and labels, as a reader of the format that is not ours has them. */
function samplesOf(page: string): Map<string, number> {
  const samples = new Map<string, number>();
  const typed = new Map<string, string>();
  for (const line of page.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (name !== undefined) {
      expect(typed.has(name), `${name} twice`).toBe(false);
      typed.set(name, type!);
    }
    if (line === '' || line.startsWith('#')) continue;
    const [, key, value] = /^([a-z_]+(?:\{[a-z]+="[^"\\\n]*"\})?) (\S+)$/.exec(line) ?? [];
    expect(key, line).toBeDefined();
    samples.set(key!, Number(value));
    const family = key!.replace(/\{.*/, '').replace(/_(bucket|sum|count)$/, '');
    expect(typed.has(family) || typed.has(key!.replace(/\{.*/, '')), line).toBe(true);
  }
  for (const [name, type] of typed) if (type === 'counter') expect(name).toMatch(/_total$/);
  return samples;
}

const ofWorker = () => samplesOf(worker.metrics());
const ofCluster = () => samplesOf(engine.metrics());

describe('a worker', () => {
  test('counts jobs by outcome, their times, extensions of leases and programs by status', async () => {
    const before = ofWorker();
    const since = (name: string) => ofWorker().get(name)! - before.get(name)!;
    await engine.run('/bin/true');
    await engine.run('/bin/sh', ['-c', 'exit 3']);
    await engine.run('/bin/sleep', ['1.2']); // leases of a second are extended every 300 ms
    await expect.poll(() => since('sbx_worker_jobs_ended_total{outcome="accepted"}')).toBe(3);
    expect(since('sbx_worker_jobs_started_total')).toBe(3);
    expect(since('sbx_worker_programs_total{status="ok"}')).toBe(2);
    expect(since('sbx_worker_programs_total{status="exit"}')).toBe(1);
    expect(since('sbx_worker_lease_extensions_total')).toBeGreaterThanOrEqual(2);
    expect(since('sbx_worker_redelivered_total')).toBe(0);
    expect(since('sbx_worker_run_seconds_count')).toBe(3);
    expect(since('sbx_worker_run_seconds_sum')).toBeGreaterThan(1.2);
    expect(since('sbx_worker_run_seconds_bucket{le="1"}')).toBe(2);
    expect(since('sbx_worker_run_seconds_bucket{le="+Inf"}')).toBe(3);
    expect(since('sbx_worker_queue_seconds_count')).toBe(3);
    expect(since('sbx_worker_queue_seconds_sum')).toBeGreaterThan(0);
    expect(since('sbx_worker_queue_seconds_sum')).toBeLessThan(5);
    expect(ofWorker().get('sbx_worker_slots')).toBe(2);
    expect(ofWorker().get('sbx_worker_connected')).toBe(1);
    expect(ofWorker().get('process_resident_memory_bytes')).toBeGreaterThan(2 ** 20);
  });

  test('counts files that it had, those that it fetched, and their bytes', async () => {
    const bytes = Buffer.alloc(200_000, 'x'); // above what goes along with the job
    const job = () => engine.run('/bin/cat', ['data'], { files: { data: bytes }, stdout: 'null' });
    await job();
    await job();
    const samples = ofWorker();
    expect(samples.get('sbx_worker_cache_misses_total')).toBe(1);
    expect(samples.get('sbx_worker_cache_hits_total')).toBe(1);
    expect(samples.get('sbx_worker_cache_fetched_bytes_total')).toBe(200_000);
    expect(samples.get('sbx_worker_cache_bytes')).toBe(200_000);
  });
});

describe('a submitter', () => {
  test('counts jobs by how they ended, what is on its way, and the workers it knows', async () => {
    const before = ofCluster();
    const since = (name: string) => ofCluster().get(name)! - before.get(name)!;
    await engine.run('/bin/true');
    const job = { id: 'slow', request: { file: '/bin/sleep', args: ['20'] } };
    const slow = await engine.submit(job);
    await expect.poll(() => slow.state).toBe('leased');
    expect(ofCluster().get('sbx_cluster_jobs_in_flight')).toBe(1);
    await slow.cancel();
    await expect(slow.result).rejects.toThrow();
    const late = await engine.submit({ ...job, id: 'late', deadlineMs: 100 });
    await expect(late.result).rejects.toThrow();
    expect(since('sbx_cluster_jobs_submitted_total')).toBe(3);
    for (const outcome of ['done', 'cancelled', 'deadline'])
      expect(since(`sbx_cluster_jobs_ended_total{outcome="${outcome}"}`)).toBe(1);
    expect(since('sbx_cluster_job_seconds_count')).toBe(3);
    expect(since('sbx_cluster_wait_seconds_count')).toBe(3);
    expect(ofCluster().get('sbx_cluster_jobs_in_flight')).toBe(0);
    expect(ofCluster().get('sbx_cluster_workers')).toBe(1);
    expect(ofCluster().get('sbx_cluster_slots')).toBe(2);
  });

  test('has no name of a tenant on its page', async () => {
    await (await engine.submit({ id: 't', tenant: 'somebody', request: { file: '/bin/true' } })).result;
    expect(engine.metrics()).not.toContain('somebody');
  });
});

test('a job that a second worker gets is counted at both ends', async () => {
  const before = [ofWorker(), ofCluster()] as const;
  const other = await startWorkerProcess({ servers: nats.url, slots: 8 });
  const jobs = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      engine.submit({ id: `second-${index}`, request: { file: '/bin/sleep', args: ['1'] } }),
    ),
  );
  await expect.poll(() => jobs.every(({ state }) => state === 'leased')).toBe(true);
  await other.kill();
  await Promise.all(jobs.map(({ result }) => result));
  const names = ['sbx_worker_redelivered_total', 'sbx_cluster_second_attempts_total'] as const;
  const [atWorker, atSubmitter] = [ofWorker(), ofCluster()].map(
    (samples, index) => samples.get(names[index]!)! - before[index]!.get(names[index]!)!,
  );
  expect(atWorker).toBeGreaterThan(0);
  expect(atSubmitter).toBe(atWorker);
}, 60_000);

test.each([
  ['go-judge', () => createGojudgeServer({ engine, enableMetrics: true }), 'go_judge_worker_queue_count'],
  ['Fathom', () => createFathomServer({ engine, languages: ['shell'] }), 'sbx_fathom_queue_depth'],
] as const)('the page of a %s server has the figures of its cluster', async (_name, create, own) => {
  await using server = await create();
  const page = await server.metrics();
  expect(page).toMatch(new RegExp(`^${own} `, 'm'));
  expect(page).toMatch(/^sbx_cluster_workers \d$/m);
  const names = [...page.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => name);
  expect(new Set(names).size).toBe(names.length);
});

test('a worker whose broker is gone, and one that drains, take no jobs', async () => {
  expect(worker.isReady).toBe(true);
  await nats.server.kill();
  await expect.poll(() => worker.isReady).toBe(false);
  await nats.server.start();
  await expect.poll(() => worker.isReady, { timeout: 10_000 }).toBe(true);
  expect(ofWorker().get('sbx_worker_connection_losses_total')).toBe(1);
  void worker.drain();
  expect(worker.isReady).toBe(false);
  expect(ofWorker().get('sbx_worker_draining')).toBe(1);
}, 30_000);
