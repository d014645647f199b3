import { headers, type MsgHdrs } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ClusterDeniedError } from '../errors.js';
import { worker } from '../testing/worker.js';
import { encodeAnnouncement, type WorkerDescription } from '../wire/announcement.js';
import { type PresenceBroker, WorkerList } from './presence.js';

interface Entry {
  subject: string;
  data: Uint8Array;
  headers: MsgHdrs;
}

const entryOf = (name: string, data: Uint8Array, own: Record<string, string>): Entry => {
  const written = headers();
  for (const [header, value] of Object.entries(own)) written.set(header, value);
  return { subject: `$KV.sbx-workers.${name}`, data, headers: written };
};
const announcementOf = (each: WorkerDescription) =>
  entryOf(each.name, encodeAnnouncement(each), { 'Sbx-Own': '1' });

/** A broker at which workers announce themselves when the test says so; `before`: what its bucket has. */
function announced(before: readonly Entry[] = []) {
  let take: (error: Error | null, message: Entry) => void = () => undefined;
  let isOpen = false;
  const tell = (entry: Entry) => isOpen && take(null, entry);
  const getMessage = vi.fn(async (_stream: string, query: object) => {
    const { seq } = query as { seq: number };
    const entry = before[seq - 1];
    return entry === undefined ? null : { ...entry, header: entry.headers, seq };
  });
  const subscribe = (_subject: string, { callback }: { callback: typeof take }) => {
    take = callback;
    isOpen = true;
    return {
      unsubscribe() {
        isOpen = false;
      },
    };
  };
  return {
    broker: {
      connection: { subscribe, flush: async () => undefined },
      manager: { direct: { getMessage }, streams: {} },
      workersAreDirect: true,
    } as unknown as PresenceBroker,
    getMessage,
    isOpen: () => isOpen,
    tell,
    announce: (each: WorkerDescription) => tell(announcementOf(each)),
    withdraw: (name: string) =>
      tell(entryOf(name, new Uint8Array(), { 'Sbx-Own': '1', 'KV-Operation': 'DEL' })),
  };
}

const namesOf = (list: WorkerList) => list.all().map(({ name }) => name);

test('who was there before is known at once, and whoever left is not', async () => {
  const { broker, announce } = announced([
    announcementOf(worker({ name: 'a' })),
    entryOf('gone', new Uint8Array(), { 'Sbx-Own': '1', 'KV-Operation': 'DEL' }),
    announcementOf(worker({ name: 'b' })),
  ]);
  const list = await WorkerList.open(broker, () => undefined);
  expect(namesOf(list)).toEqual(['a', 'b']);
  announce(worker({ name: 'c' }));
  expect(namesOf(list)).toEqual(['a', 'b', 'c']);
  list.close();
});

test('what a worker says meanwhile counts more than what the bucket has', async () => {
  const { broker, announce, getMessage } = announced([announcementOf(worker({ name: 'a', slots: 1 }))]);
  const read = getMessage.getMockImplementation()!;
  getMessage.mockImplementationOnce(async (...asked) => {
    announce(worker({ name: 'a', slots: 7 }));
    return read(...asked);
  });
  const list = await WorkerList.open(broker, () => undefined);
  expect(list.places).toBe(7);
  list.close();
});

test('an answer to somebody’s question is no announcement, where it comes from and where it lies', async () => {
  const answer = (name: string) =>
    entryOf(name, encodeAnnouncement(worker({ name })), { 'Sbx-Own': '1', 'Nats-Subject': 'x' });
  const stored = answer('stored');
  stored.headers.append('Nats-Subject', 'y'); // of this very question
  const { broker, tell } = announced([stored]);
  const list = await WorkerList.open(broker, () => undefined);
  tell(answer('sent'));
  tell(entryOf('bare', encodeAnnouncement(worker({ name: 'bare' })), {}));
  expect(namesOf(list)).toEqual([]);
  list.close();
});

test.concurrent('a bucket that gives no answer does not keep the list from opening', async () => {
  const { broker, announce, getMessage } = announced();
  getMessage.mockImplementation(() => new Promise(() => undefined));
  const list = await WorkerList.open(broker, () => undefined);
  announce(worker({ name: 'a' }));
  expect(namesOf(list)).toEqual(['a']);
  list.close();
}, 10_000);

test('nor does one that is lost, but one that nobody may read does', async () => {
  const { broker, getMessage, isOpen } = announced();
  getMessage.mockRejectedValueOnce(new Error('the connection is gone'));
  const list = await WorkerList.open(broker, () => undefined);
  list.close();
  expect(isOpen()).toBe(false);
  const denied = new ClusterDeniedError('publish', 'a', new Error('denied'));
  getMessage.mockRejectedValueOnce(denied);
  await expect(WorkerList.open(broker, () => undefined)).rejects.toBe(denied);
  expect(isOpen()).toBe(false);
});

test('who may not listen is told so', async () => {
  const { broker } = announced();
  const denied = new Error('denied');
  const subscribe = (_: string, { callback }: { callback: (error: Error, message: object) => void }) => {
    callback(denied, {});
    return { unsubscribe: () => undefined };
  };
  Object.assign(broker.connection, { subscribe });
  await expect(WorkerList.open(broker, () => undefined)).rejects.toBe(denied);
});

test('workers come by host, then by name, whenever and however often they announce themselves', async () => {
  const { broker, announce, withdraw } = announced();
  const list = await WorkerList.open(broker, () => undefined);
  announce(worker({ name: 'w-3', host: 'host-b' }));
  announce(worker({ name: 'w-1', host: 'host-b' }));
  announce(worker({ name: 'w-2', host: 'host' }));
  announce(worker({ name: 'w-4', host: 'host-a' }));
  announce(worker({ name: 'w-1', host: 'host-b' }));
  announce(worker({ name: 'w-3', host: 'a' })); // the name was given anew, elsewhere
  withdraw('w-4');
  const shown = () => list.all().map(({ host, name }) => `${host} ${name}`);
  await expect.poll(shown).toEqual(['a w-3', 'host w-2', 'host-b w-1']);
  list.close();
});

test('places are those of the workers that announce themselves, and are counted once', async () => {
  const { broker, announce, withdraw } = announced();
  const list = await WorkerList.open(broker, () => undefined);
  const count = vi.spyOn(list, 'unordered');
  announce(worker({ name: 'a' }));
  announce(worker({ name: 'b' }));
  await expect.poll(() => list.places).toBe(4);
  const counted = count.mock.calls.length;
  announce(worker({ name: 'b', running: 1 }));
  await expect.poll(() => list.all().some(({ running }) => running === 1)).toBe(true);
  const looked = count.mock.calls.length;
  for (let index = 0; index < 100; index += 1) expect(list.places).toBe(4);
  expect(count.mock.calls.length - looked).toBeLessThanOrEqual(1); // it may have been a second
  expect(counted).toBeLessThan(10);
  announce(worker({ name: 'b', isDraining: true }));
  await expect.poll(() => list.places).toBe(2);
  withdraw('a');
  await expect.poll(() => list.places).toBe(0);
  list.close();
});

test('however many come, they are put in order when somebody looks', async () => {
  const { broker, announce } = announced();
  const list = await WorkerList.open(broker, () => void list.places);
  const sort = vi.spyOn(Array.prototype, 'sort');
  for (let index = 0; index < 300; index += 1) announce(worker({ name: `w${index}`, host: `h${index % 7}` }));
  await expect.poll(() => list.places).toBe(600);
  const sorts = sort.mock.calls.length;
  sort.mockRestore();
  expect(sorts).toBeLessThan(30); // some may be of others
  const names = list.all().map(({ host, name }) => `${host} ${name}`);
  expect(names).toEqual([...names].sort());
  list.close();
});

test('a row of a root counts for more than the bytes that say that there is one', async () => {
  const { broker, announce } = announced();
  const list = await WorkerList.open(broker, () => undefined);
  const mounts = Array(1024).fill({});
  const of = (index: number) => worker({ name: `w${index}` });
  for (let index = 0; index < 800; index += 1) {
    announce({ ...of(index), info: { ...of(index).info, mounts } });
  }
  announce(worker({ name: 'w0', running: 1 }));
  const isRead = () => list.all().some(({ running }) => running === 1);
  await expect.poll(isRead, { timeout: 20_000 }).toBe(true);
  expect(list.all().length).toBeLessThan(750); // 68 KiB each
  list.close();
});

test('however many announce themselves, the list has a bound, and those that were there stay', async () => {
  const { broker, announce, withdraw } = announced();
  const list = await WorkerList.open(broker, () => undefined);
  const languages = Array(240).fill({ name: 'x'.repeat(1000), version: null });
  for (let index = 0; index < 250; index += 1) announce(worker({ name: `w${index}`, languages }));
  await expect.poll(() => list.all().length).toBeGreaterThan(150);
  const count = list.all().length;
  expect(count).toBeLessThan(220); // 240 KiB each
  announce(worker({ name: 'w0', languages }));
  announce(worker({ name: 'late', languages }));
  withdraw('w1');
  await expect.poll(() => list.all().length).toBe(count - 1);
  announce(worker({ name: 'later', languages }));
  await expect.poll(() => list.all().some(({ name }) => name === 'later')).toBe(true);
  expect(list.all().map(({ name }) => name)).toContain('w0');
  list.close();
});

describe('time', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('the places of a worker that has gone silent are gone', async () => {
    const { broker, announce } = announced();
    const list = await WorkerList.open(broker, () => undefined);
    announce(worker({ name: 'a' }));
    await vi.advanceTimersByTimeAsync(10);
    expect(list.places).toBe(2);
    await vi.advanceTimersByTimeAsync(14_000);
    expect(list.places).toBe(2);
    await vi.advanceTimersByTimeAsync(2000);
    expect(list.places).toBe(0);
    list.close();
  });
});
