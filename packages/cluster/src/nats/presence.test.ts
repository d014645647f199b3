import type { KV } from '@nats-io/kv';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { worker } from '../testing/worker.js';
import { encodeAnnouncement, type WorkerDescription } from '../wire/announcement.js';
import { WorkerList } from './presence.js';

/** A watch that ends when it is stopped, or fails at once. */
function watchOf(isBroken: boolean) {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    stop: () => end(),
    // biome-ignore lint/correctness/useYield: nothing ever comes
    async *[Symbol.asyncIterator]() {
      if (isBroken) throw new Error('the consumer cannot be made again');
      await ended;
    },
  };
}

function bucket(values: number, isBroken: boolean): { workers: KV; watches: () => number } {
  let watches = 0;
  const workers = {
    status: async () => ({ values }),
    watch: async () => {
      watches += 1;
      return watchOf(isBroken && watches === 1);
    },
  };
  return { workers: workers as unknown as KV, watches: () => watches };
}

test.concurrent('announcements that ended after they were counted do not keep the list from opening', async () => {
  const { workers } = bucket(3, false);
  const list = await WorkerList.open({ workers }, () => undefined);
  expect(list.all()).toEqual([]);
  list.close();
}, 10_000);

test.concurrent('a watch that breaks is opened again, until the list is closed', async () => {
  const { workers, watches } = bucket(0, true);
  const list = await WorkerList.open({ workers }, () => undefined);
  await expect.poll(watches, { timeout: 5000 }).toBe(2);
  list.close();
  await new Promise((resolve) => setTimeout(resolve, 1200));
  expect(watches()).toBe(2);
}, 10_000);

/** A bucket in which workers announce themselves when the test says so, to the watch that is open. */
function announced() {
  let entries: object[] = [];
  let watches = 0;
  let wake: () => void = () => undefined;
  const open = () => {
    watches += 1;
    let isOver = false;
    entries = [];
    const own = entries;
    return {
      stop() {
        isOver = true;
        wake();
      },
      async *[Symbol.asyncIterator]() {
        while (!isOver) {
          while (own.length > 0) yield own.shift();
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
    };
  };
  const tell = (entry: object) => {
    entries.push(entry);
    wake();
  };
  return {
    workers: { status: async () => ({ values: 0 }), watch: async () => open() } as unknown as KV,
    watches: () => watches,
    announce: (each: WorkerDescription) =>
      tell({ key: each.name, value: encodeAnnouncement(each), operation: 'PUT', delta: 0 }),
    withdraw: (name: string) => tell({ key: name, operation: 'DEL', delta: 0 }),
  };
}

test('workers come by host, then by name, whenever and however often they announce themselves', async () => {
  const { workers, announce, withdraw } = announced();
  const list = await WorkerList.open({ workers }, () => undefined);
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
  const { workers, announce, withdraw } = announced();
  const list = await WorkerList.open({ workers }, () => undefined);
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
  const { workers, announce } = announced();
  const list = await WorkerList.open({ workers }, () => void list.places);
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
  const { workers, announce } = announced();
  const list = await WorkerList.open({ workers }, () => undefined);
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
  const { workers, announce, withdraw } = announced();
  const list = await WorkerList.open({ workers }, () => undefined);
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
    const { workers, announce } = announced();
    const list = await WorkerList.open({ workers }, () => undefined);
    announce(worker({ name: 'a' }));
    await vi.advanceTimersByTimeAsync(10);
    expect(list.places).toBe(2);
    await vi.advanceTimersByTimeAsync(14_000);
    expect(list.places).toBe(2);
    await vi.advanceTimersByTimeAsync(2000);
    expect(list.places).toBe(0);
    list.close();
  });

  test('a watch that brings nothing any more is opened again before workers count as gone', async () => {
    const { workers, announce, watches } = announced();
    const list = await WorkerList.open({ workers }, () => undefined);
    announce(worker({ name: 'a' }));
    for (let second = 0; second < 14; second += 1) {
      await vi.advanceTimersByTimeAsync(1000);
      expect(list.places).toBe(2);
      if (watches() === 2) break;
    }
    expect(watches()).toBe(2);
    announce(worker({ name: 'a' })); // as a watch begins: with what is there
    await vi.advanceTimersByTimeAsync(5000);
    expect(list.places).toBe(2);
    expect(watches()).toBe(2);
    list.close();
  });

  test('nobody looks for workers that are gone for good', async () => {
    const { workers, announce, watches } = announced();
    const list = await WorkerList.open({ workers }, () => undefined);
    announce(worker({ name: 'a' }));
    await vi.advanceTimersByTimeAsync(60_000);
    const before = watches();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(watches()).toBe(before);
    list.close();
  });
});
