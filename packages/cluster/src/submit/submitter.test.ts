import { expect, test, vi } from 'vitest';
import { type Clock, systemClock } from '../clock.js';
import type { SubmitterLink } from '../links.js';
import type { Notice } from '../wire/notice.js';
import { encodeRecord } from '../wire/record.js';
import { Submitter } from './submitter.js';

const NONE = new Uint8Array(0);

/** A submitter with a window of its own, before a broker that takes all and ends what a test names. */
function openSubmitter(
  window: number,
  clock: Clock = systemClock,
  readRecord: SubmitterLink['readRecord'] = async () => null,
) {
  let tell: (notice: Notice) => void = () => undefined;
  const sent: string[] = [];
  const removed: number[] = [];
  const followers = new Map<string, (record: Uint8Array) => void>();
  const link: SubmitterLink = {
    async publish({ id }) {
      sent.push(id);
      return { sequence: sent.length, before: null };
    },
    remove: async (sequence) => void removed.push(sequence),
    cancel: () => undefined,
    onNotice(take) {
      tell = take;
    },
    onDenied: () => undefined,
    onReconnect: () => undefined,
    follow({ id }, take) {
      followers.set(id, take);
      return () => followers.delete(id);
    },
    createRecord: async () => true,
    readRecord,
  };
  const limits = { queueLength: 100, queueLengthPerTenant: 100 };
  const submitter = new Submitter(link, clock, { name: 's', windowOf: () => window, ...limits });
  const submit = (id: string, spentMs?: number) =>
    submitter.submit(
      {
        ...{ id, tenant: 't', priority: 0, maxAttempts: 1, deadlineMs: 60_000, orphanGraceMs: 0 },
        ...{ trace: null, bodyHash: 'h', body: NONE },
      },
      spentMs,
    );
  const end = (id: string) => {
    const header = { kind: 'done', attempt: 1, worker: 'w', bodyHash: 'h' } as const;
    followers.get(id)!(encodeRecord({ ...header, outcome: NONE }));
  };
  const tellRecord = (id: string, record: Uint8Array) => followers.get(id)!(record);
  const lease = (id: string) => tell({ kind: 'leased', tenant: 't', id, attempt: 1, worker: 'w' });
  return {
    submitter,
    link,
    submit,
    lease,
    end,
    sent,
    removed,
    tellRecord,
    tell: (notice: Notice) => tell(notice),
  };
}

test('a large window that was full is filled again when a quarter of it is free', async () => {
  const { submitter, submit, end, sent } = openSubmitter(8);
  for (let index = 0; index < 12; index += 1) submit(`${index}`);
  expect(sent).toHaveLength(8);
  end('0');
  expect(sent).toHaveLength(8);
  end('1');
  expect(sent).toHaveLength(10);
  await submitter.close(new Error('over'));
});

test('a small window is filled again at once', async () => {
  const { submitter, submit, end, sent } = openSubmitter(2);
  for (const id of ['a', 'b', 'c']) submit(id);
  end('b');
  expect(sent).toEqual(['a', 'b', 'c']);
  await submitter.close(new Error('over'));
});

test('a worker that says again and again that a job has ended is believed once at a time', async () => {
  const looks: ((record: null) => void)[] = [];
  const { submitter, submit, tell } = openSubmitter(1, systemClock, () => {
    return new Promise((resolve) => looks.push(resolve));
  });
  submit('a');
  for (let count = 0; count < 100; count += 1) tell({ kind: 'ended', tenant: 't', id: 'a' });
  expect(looks).toHaveLength(1);
  looks.shift()!(null);
  await new Promise((resolve) => setImmediate(resolve));
  expect(looks).toHaveLength(1); // what was told meanwhile may have been later than the look
  looks.shift()!(null);
  await new Promise((resolve) => setImmediate(resolve));
  expect(looks).toHaveLength(0);
  tell({ kind: 'ended', tenant: 't', id: 'a' });
  expect(looks).toHaveLength(1);
  await submitter.close(new Error('over'));
});

test('a job that was stopped and has ended leaves no timer behind', async () => {
  const timers = new Set<object>();
  const clock: Clock = {
    now: systemClock.now,
    after(ms, callback) {
      const timer = {};
      timers.add(timer);
      const take = systemClock.after(ms, callback);
      return () => {
        timers.delete(timer);
        take();
      };
    },
  };
  const { submitter, submit, lease, end } = openSubmitter(1, clock);
  const before = timers.size;
  const ticket = submit('a');
  lease('a');
  const stopped = submitter.stop(ticket, new Error('no longer wanted'));
  end('a');
  await stopped;
  expect((await ticket.record).kind).toBe('done');
  expect(timers.size).toBe(before);
  await submitter.close(new Error('over'));
});

test('a job whose result comes before the answer of the broker needs no removal from the queue', async () => {
  const { submitter, submit, end, removed } = openSubmitter(2);
  const [done, dropped] = [submit('a'), submit('b')];
  end('a');
  void submitter.cancel(dropped, new Error('no longer wanted'));
  await done.record;
  await vi.waitFor(() => expect(removed).toEqual([2]));
  await submitter.close(new Error('over'));
  expect(removed).toEqual([2]);
});

test('a record of another version says which end is to be updated', async () => {
  const { submitter, submit, tellRecord } = openSubmitter(1);
  const ticket = submit('a');
  tellRecord('a', Uint8Array.of(2, 0, 0, 0, 0));
  await expect(ticket.record).rejects.toMatchObject({
    code: 'SBX_INTERNAL',
    message: expect.stringMatching(/version 2, not 1.* Update the older one/),
  });
  expect(submitter.ended.unreadable).toBe(1);
  await submitter.close(new Error('over'));
});

test('a job ends by its deadline from the call on, and says what the broker had against it', async () => {
  const { submitter, link, submit } = openSubmitter(1);
  link.publish = () => Promise.reject(new Error('insufficient resources'));
  const from = performance.now();
  await expect(submit('a', 59_900).record).rejects.toMatchObject({
    code: 'SBX_JOB_DEADLINE',
    message: expect.stringMatching(/60000 ms \(it was not taken by the broker: insufficient resources\)/),
  });
  expect(performance.now() - from).toBeLessThan(30_000);
  await submitter.close(new Error('over'));
});
