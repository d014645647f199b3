import type { KV } from '@nats-io/kv';
import { expect, test } from 'vitest';
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
