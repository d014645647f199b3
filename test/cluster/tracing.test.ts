// Spans from a submitter to a worker and back. The worker is in this process, and learns of the trace by the
// message alone: it looks at nothing that is active around it.
import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { type ClusterEngine, startWorker, type Worker } from '@sbx/cluster';
import { Engine } from '@sbx/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useNats } from './nats.js';
import { openEngine } from './nodes.js';
import { parentOf, Spans } from './spans.js';

const nats = useNats();
const spans = new Spans();
let worker: Worker;
let engine: ClusterEngine;

beforeAll(async () => {
  // Before there is a provider of spans, as a host may register one late.
  worker = await startWorker({ servers: nats.url, slots: 2, languages: [] });
  engine = await openEngine({ servers: nats.url });
}, 60_000);

afterAll(async () => {
  await spans.unregister();
  await engine.close();
  await worker.close();
});

test('without a provider of spans, and with one from then on', async () => {
  expect((await engine.run('/bin/true')).status).toBe('ok');
  spans.register();
  expect(spans.ended).toEqual({});
  await spans.within(() => engine.run('/bin/true'));
  expect(Object.keys(spans.ended).sort()).toEqual(['sbx.attempt', 'sbx.job', 'sbx.queue', 'sbx.run', 'test']);
});

test('submit, queue, attempt and run are one trace, each below the one before', async () => {
  const ticket = { id: 'traced', tenant: 'someone', request: { file: '/bin/sh', args: ['-c', 'exit 3'] } };
  const own = await spans.within(async () => (await engine.submit(ticket)).result);
  const { 'sbx.job': job, 'sbx.queue': queue, 'sbx.attempt': attempt, 'sbx.run': run } = spans.ended;
  for (const span of [job, queue, attempt, run]) expect(span?.spanContext().traceId).toBe(own.traceId);
  expect(parentOf(job)).toEqual({ spanId: own.spanId, isRemote: false });
  const byMessage = { spanId: job?.spanContext().spanId, isRemote: true };
  expect(parentOf(queue)).toEqual(byMessage);
  expect(parentOf(attempt)).toEqual(byMessage);
  expect(parentOf(run)).toEqual({ spanId: attempt?.spanContext().spanId, isRemote: false });
  expect([job?.kind, attempt?.kind, run?.kind]).toEqual([
    SpanKind.PRODUCER,
    SpanKind.CONSUMER,
    SpanKind.INTERNAL,
  ]);
  const who = {
    'sbx.job.id': 'traced',
    'sbx.tenant': 'someone',
    'sbx.attempt': 1,
    'sbx.worker': worker.name,
  };
  expect(job?.attributes).toMatchObject(who);
  expect(attempt?.attributes).toMatchObject(who);
  expect(run?.attributes).toMatchObject({ 'sbx.status': 'exit', 'process.exit.code': 3 });
  expect(run?.attributes['sbx.wall_seconds']).toBeGreaterThan(0);
});

test('a job that is cancelled, and a run that is refused, end with an error by its code', async () => {
  const signal = AbortSignal.timeout(100);
  await spans.within(() => expect(engine.run('/bin/sleep', ['20'], { signal })).rejects.toThrow());
  expect(spans.ended['sbx.job']?.status.code).toBe(SpanStatusCode.ERROR);
  const limits = { wallTimeMs: 1e9 }; // above the worker’s ceiling
  await spans.within(() => expect(engine.run('/bin/true', [], { limits })).rejects.toThrow());
  expect(spans.ended['sbx.job']?.attributes['error.type']).toBeUndefined(); // it has its record: an answer
  expect(spans.ended['sbx.attempt']).toBeDefined();
});

test('nothing of a program is in a span', async () => {
  await spans.within(async () => {
    const env = { SECRET: 'hidden-word' };
    const files = { 'hidden-word': 'hidden-word' };
    await engine.run('/bin/echo', ['hidden-word'], { env, files, stdin: { text: 'hidden-word' } });
    await engine.run('/bin/hidden-word').catch(() => undefined);
  });
  const all = Object.values(spans.ended).map(({ name, attributes, events, status }) => ({
    name,
    attributes,
    events,
    status,
  }));
  expect(JSON.stringify(all)).not.toContain('hidden-word');
});

test('an engine of one machine: runs and groups below the span that is active', async () => {
  await using local = await Engine.open();
  const own = await spans.within(async () => {
    await local.run('/bin/true');
    await local.runGroup({ programs: [{ file: '/bin/true' }, { file: '/bin/false' }] });
    await expect(local.run('/bin/none-such')).rejects.toThrow();
  });
  const { 'sbx.run': run, 'sbx.run_group': group } = spans.ended;
  expect(parentOf(run).spanId).toBe(own.spanId);
  expect(run?.attributes['error.type']).toBe('SBX_PROGRAM_NOT_FOUND');
  expect(run?.status).toEqual({ code: SpanStatusCode.ERROR });
  expect(parentOf(group).spanId).toBe(own.spanId);
  expect(group?.attributes['sbx.status']).toEqual(['ok', 'exit']);
});
