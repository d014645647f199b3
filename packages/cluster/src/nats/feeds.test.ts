import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { afterEach, expect, test, vi } from 'vitest';
import { Feeds } from './feeds.js';

/** A broker that knows subscriptions, and brings each message once to each that fits. */
function openFeeds() {
  const subscriptions = new Set<{ subject: string; take(message: Msg): void }>();
  const begun: string[] = [];
  const connection = {
    subscribe(subject: string, { callback }: { callback(error: null, message: Msg): void }) {
      const subscription = { subject, take: (message: Msg) => callback(null, message) };
      subscriptions.add(subscription);
      begun.push(subject);
      return { unsubscribe: () => subscriptions.delete(subscription) };
    },
  };
  const notices: string[] = [];
  const feeds = new Feeds(connection as unknown as NatsConnection, {
    name: 's',
    onNotice: (tenant) => notices.push(tenant),
  });
  const send = (subject: string) => {
    const every = subject.replace(/[^.]*$/, '*');
    const data = Buffer.from(subject);
    for (const each of [...subscriptions])
      if (each.subject === subject || each.subject === every) each.take({ subject, data } as unknown as Msg);
  };
  const subjects = () => [...subscriptions].map(({ subject }) => subject);
  return { feeds, send, subjects, begun, notices };
}

/** More than half of what comes for the tenant is of others. */
function sendOthers({ send }: ReturnType<typeof openFeeds>) {
  for (let count = 0; count < 128; count += 1) send(`sbx.ended.t.of-another-${count}`);
}

afterEach(() => void vi.useRealTimers());

test('records of all jobs of a tenant come by one subscription', () => {
  const { feeds, send, begun } = openFeeds();
  const told: string[] = [];
  const leave = ['a', 'b', 'c'].map((id) => feeds.follow('t', id, () => told.push(id)));
  leave[1]!();
  for (const id of ['c', 'b', 'a', 'd']) send(`sbx.ended.t.${id}`);
  expect(told).toEqual(['c', 'a']);
  expect(begun).toEqual(['sbx.notice.t.s', 'sbx.ended.t.*']);
});

test('where most records are of other submitters, each job has its own, and loses nothing', () => {
  const opened = openFeeds();
  const { feeds, send, subjects } = opened;
  const told: string[] = [];
  feeds.follow('t', 'before', () => told.push('before'));
  sendOthers(opened);
  const leave = feeds.follow('t', 'after', () => told.push('after'));
  expect(subjects()).toEqual(['sbx.notice.t.s', 'sbx.ended.t.before', 'sbx.ended.t.after']);
  for (const id of ['after', 'before']) send(`sbx.ended.t.${id}`);
  expect(told).toEqual(['after', 'before']);
  leave();
  feeds.flush();
  expect(subjects()).toEqual(['sbx.notice.t.s', 'sbx.ended.t.before']);
});

test('after a thousand jobs it is tried whether the others are still there', () => {
  const opened = openFeeds();
  const { feeds, subjects } = opened;
  feeds.follow('t', 'long', () => undefined);
  sendOthers(opened);
  for (let count = 0; count < 1024; count += 1) feeds.follow('t', `${count}`, () => undefined)();
  feeds.flush();
  expect(subjects()).toEqual(['sbx.notice.t.s', 'sbx.ended.t.long']);
  feeds.follow('t', 'next', () => undefined);
  expect(subjects()).toEqual(['sbx.notice.t.s', 'sbx.ended.t.long', 'sbx.ended.t.*']);
});

test('a tenant that had no job for a minute is listened to no more, when another one comes', () => {
  vi.useFakeTimers();
  const { feeds, subjects } = openFeeds();
  feeds.follow('busy', 'a', () => undefined);
  feeds.follow('idle', 'a', () => undefined)();
  vi.advanceTimersByTime(60_001);
  feeds.follow('new', 'a', () => undefined);
  expect(subjects().filter((subject) => subject.includes('ended'))).toEqual([
    'sbx.ended.busy.*',
    'sbx.ended.new.*',
  ]);
  expect(subjects()).toHaveLength(4);
});

test('what was dropped is asked for again by the next job, once', () => {
  const { feeds, send, subjects, notices } = openFeeds();
  const leave = feeds.follow('t', 'a', () => undefined);
  feeds.drop('t');
  leave();
  expect(subjects()).toEqual([]);
  feeds.follow('t', 'b', () => undefined);
  send('sbx.notice.t.s');
  expect(notices).toEqual(['t']);
});
