// What a submitter takes, and each way in which a job of it ends.
import { describe, expect, test } from 'vitest';
import { ClusterDeniedError } from '../errors.js';
import type { Published, SubmitterLink } from '../links.js';
import { SimClock } from '../testing/sim-clock.js';
import type { Notice } from '../wire/notice.js';
import { encodeRecord, type JobRecord } from '../wire/record.js';
import { Submitter, type SubmitterOptions } from './submitter.js';
import type { SubmittedJob } from './ticket.js';

const NONE = new Uint8Array(0);
const GRACE_MS = 2000;

function recordOf(own: Partial<JobRecord> = {}): Uint8Array {
  return encodeRecord({ kind: 'done', attempt: 1, worker: 'w', bodyHash: 'h', outcome: NONE, ...own });
}

/** A submitter with room for all, and what it asks of its broker. */
function open(own: Partial<SubmitterOptions> = {}) {
  const clock = new SimClock();
  const said: string[] = [];
  const stored = new Map<string, Uint8Array>();
  const calls = {
    publish: async (): Promise<Published> => ({ sequence: 1, before: null }),
    tell: (_notice: Notice): void => undefined,
    denied: (_tenant: string, _error: Error): void => undefined,
    reconnected: (): void => undefined,
    record: new Map<string, (record: Uint8Array) => void>(),
  };
  const link: SubmitterLink = {
    publish: ({ id }) => {
      said.push(`publish ${id}`);
      return calls.publish();
    },
    remove: async (sequence) => void said.push(`remove ${sequence}`),
    cancel: (_tenant, { id, mode }) => void said.push(`${mode} ${id}`),
    onNotice: (take) => {
      calls.tell = take;
    },
    onDenied: (take) => {
      calls.denied = take;
    },
    onReconnect: (take) => {
      calls.reconnected = take;
    },
    follow: ({ id }, take) => {
      calls.record.set(id, take);
      return () => calls.record.delete(id);
    },
    createRecord: async (key) => said.push(`write ${key}`) > 0,
    readRecord: async (key) => {
      said.push(`look ${key}`);
      return stored.get(key) ?? null;
    },
  };
  const limits = { name: 's', windowOf: () => 100, queueLength: 100, queueLengthPerTenant: 100 };
  const submitter = new Submitter(link, clock, { ...limits, resultGraceMs: GRACE_MS, ...own });
  const submit = (job: Partial<SubmittedJob> = {}, spentMs?: number) => {
    const whole = { id: 'a', tenant: 't', priority: 0, maxAttempts: 3, deadlineMs: 60_000, ...job };
    return submitter.submit({ orphanGraceMs: 0, trace: null, bodyHash: 'h', body: NONE, ...whole }, spentMs);
  };
  const lease = (attempt: number) =>
    calls.tell({ kind: 'leased', tenant: 't', id: 'a', attempt, worker: 'w' });
  let now = 0;
  const pass = (ms: number) => {
    now += ms;
    return clock.run(now);
  };
  return { submitter, submit, lease, pass, said, stored, calls };
}

const WHY = new Error('no longer wanted');

describe('what is taken', () => {
  test('the same id is the same job, and never another one', () => {
    const { submitter, submit, said } = open();
    const ticket = submit();
    expect(submit()).toBe(ticket);
    expect(() => submit({ bodyHash: 'other' })).toThrow(
      expect.objectContaining({ code: 'SBX_JOB_CONFLICT' }),
    );
    expect([said, submitter.totals.submitted]).toEqual([['publish a'], 1]);
  });

  test('so many of a tenant wait, and so many of all', () => {
    const { submitter, submit } = open({ windowOf: () => 0, queueLength: 2, queueLengthPerTenant: 1 });
    submit();
    expect(() => submit({ id: 'b' })).toThrow('The queue of this tenant is full: 1 jobs wait.');
    submit({ tenant: 'u' });
    expect(() => submit({ tenant: 'v' })).toThrow('The queue of the cluster is full: 2 jobs wait.');
    expect(submitter.load).toEqual({ waiting: 2, published: 0, waitingByTenant: { t: 1, u: 1 } });
    expect(submitter.totals).toMatchObject({ submitted: 2, refused: 2 });
  });

  test('times count from the call on', async () => {
    const { submitter, submit, calls, pass } = open();
    await pass(1);
    submit({}, 1000);
    await pass(500);
    calls.record.get('a')!(recordOf());
    const { waits, jobs } = submitter.times;
    expect([waits.read().sum, jobs.read().sum, jobs.read().count]).toEqual([1, 1, 1]);
  });
});

describe('a cancel', () => {
  test('while it waits here: the broker hears nothing of it, then or later', async () => {
    let window = 0;
    const { submitter, submit, said } = open({ windowOf: () => window });
    const ticket = submit();
    await submitter.cancel(ticket, WHY);
    await expect(ticket.record).rejects.toBe(WHY);
    window = 1;
    submitter.pump();
    expect([said, submitter.load.waiting, submitter.load.published]).toEqual([[], 0, 0]);
  });

  test('while the broker has it: it rejects at once, and no result counts any more', async () => {
    const { submitter, submit, said, pass } = open();
    const ticket = submit();
    await pass(1);
    const cancelled = submitter.cancel(ticket, WHY);
    expect(ticket.state).toBe('ended');
    await cancelled;
    expect(said).toEqual(['publish a', 'drop a', 'write t.a', 'remove 1', 'drop a']);
    await submitter.cancel(ticket, WHY);
    expect([said.length, submitter.load.published, submitter.ended.cancelled]).toEqual([5, 0, 1]);
  });

  test('that wants the result gives the worker its time, also one that comes later', async () => {
    const { submitter, submit, lease, said, pass } = open();
    const ticket = submit();
    lease(1);
    const stopped = submitter.stop(ticket, WHY);
    await pass(GRACE_MS / 2);
    lease(2);
    lease(1); // late
    expect(said).toEqual(['publish a', 'result a', 'result a']);
    expect([ticket.state, ticket.attempt, submitter.totals.secondAttempts]).toEqual(['leased', 2, 1]);
    await pass(GRACE_MS);
    await stopped;
    await expect(ticket.record).rejects.toBe(WHY);
    expect(said.slice(3)).toEqual(['drop a', 'write t.a', 'remove 1', 'drop a']);
  });

  test('that wants the result of what no worker has waits for none', async () => {
    const { submitter, submit, said } = open();
    const ticket = submit();
    await submitter.stop(ticket, WHY);
    await expect(ticket.record).rejects.toBe(WHY);
    expect(said).not.toContain('result a');
  });
});

describe('an end', () => {
  test.each([
    ['SBX_JOB_CONFLICT', 'conflict', { bodyHash: 'other' }],
    ['SBX_WORKER_LOST', 'lost', { kind: 'lost' }],
    ['SBX_JOB_CANCELLED', 'cancelled', { kind: 'cancelled' }],
  ] as const)('by a record: %s', async (code, ending, record) => {
    const { submitter, submit, calls } = open();
    const ticket = submit();
    calls.record.get('a')!(recordOf(record));
    await expect(ticket.record).rejects.toMatchObject({ code });
    expect([submitter.ended[ending], calls.record.size, submitter.load.published]).toEqual([1, 0, 0]);
  });

  test.each([
    ['the same job: its record is looked for', 'h', true],
    ['one that is there no more: its record is looked for', '', true],
    ['another job', 'other', false],
  ])('of an id that the queue had before, of %s', async (_what, before, isFound) => {
    const { submit, calls, stored, pass } = open();
    stored.set('t.a', recordOf());
    calls.publish = async () => ({ sequence: 1, before });
    const ticket = submit();
    const end = ticket.record.then(
      ({ kind }) => kind,
      ({ code }) => code,
    );
    await pass(1);
    expect(await end).toBe(isFound ? 'done' : 'SBX_JOB_CONFLICT');
  });

  test('by what the broker denies, of this tenant and of no other', async () => {
    const { submitter, submit, calls } = open();
    const [ticket, other] = [submit(), submit({ tenant: 'u' })];
    const error = new ClusterDeniedError('subscribe', 'x');
    calls.denied('t', error);
    await expect(ticket.record).rejects.toBe(error);
    expect([other.state, submitter.ended.denied]).toEqual(['queued', 1]);
    calls.publish = () => Promise.reject(error);
    await expect(submit({ id: 'b' }).record).rejects.toBe(error);
  });

  test('whose record was lost on the way is found, by looking now and then', async () => {
    const { submitter, submit, calls, said, stored, pass } = open();
    const tickets = Array.from({ length: 40 }, (_, at) => submit({ id: `${at}` }));
    for (const { job } of tickets.slice(0, 39)) stored.set(`t.${job.id}`, recordOf());
    await pass(4999);
    expect(said.filter((what) => what.startsWith('look'))).toEqual([]);
    await pass(1);
    expect(tickets.filter(({ state }) => state === 'ended')).toHaveLength(39);
    stored.set('t.39', recordOf());
    calls.reconnected();
    await pass(0);
    expect(tickets.at(-1)!.state).toBe('ended');
    const last = submit({ id: 'last' });
    await pass(6000);
    stored.set('t.last', recordOf());
    await pass(5000);
    expect(last.state).toBe('ended');
    expect(submitter.ended.done).toBe(41);
  });

  test('by the end of the submitter: nothing is sent or looked for after it', async () => {
    const { submitter, submit, said, pass } = open({ windowOf: () => 1 });
    const [sent, waiting] = [submit(), submit({ id: 'b' })];
    await pass(1);
    await submitter.close(WHY);
    await expect(sent.record).rejects.toBe(WHY);
    await expect(waiting.record).rejects.toBe(WHY);
    await submitter.close(new Error('again'));
    await pass(20_000);
    expect(said).toEqual(['publish a', 'drop a', 'write t.a', 'remove 1', 'drop a']);
  });
});
