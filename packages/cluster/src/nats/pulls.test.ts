// Pulls against a broker that hands out a job for each pull, and ends pulls after their time.
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pulls } from './pulls.js';

interface Pull {
  isOpen: boolean;
  reply: string;
  answer(message: Msg): void;
}

const DRAIN_MS = 30;

/** One that keeps the pulls of `Pulls`, and what they were told. */
class Broker {
  readonly #pulls: Pull[] = [];
  readonly #listeners = new Map<string, (error: null, message: Msg) => void>();
  #tell: (status: { type: string }) => void = () => undefined;

  givenBack = 0;
  isClosed = false;

  get openPullCount(): number {
    return this.#pulls.filter(({ isOpen }) => isOpen).length;
  }

  connection(): NatsConnection {
    const made = {
      isClosed: () => this.isClosed,
      status: () => this.#statuses(),
      subscribe: (subject: string, { callback }: { callback: (error: null, message: Msg) => void }) => {
        this.#listeners.set(subject, callback);
        const unsubscribe = () => this.#listeners.delete(subject);
        return { getSubject: () => subject, unsubscribe, drain: () => this.#drain(subject) };
      },
      publish: (subject: string, payload: string, options?: { reply: string }) => {
        if (payload === '-NAK') this.givenBack += 1;
        if (subject.startsWith('$JS.API.CONSUMER.MSG.NEXT')) this.#pull(payload, options!.reply);
        else if (payload.startsWith('+NXT ')) this.#pull(payload.slice(5), options!.reply);
      },
    };
    return made as unknown as NatsConnection;
  }

  /** Its pulls stay, as those of brokers that have not noticed. */
  reconnect(): void {
    this.#tell({ type: 'reconnect' });
  }

  /** `false`: nobody pulls. */
  giveJob(): boolean {
    const pull = this.#pulls.find(({ isOpen }) => isOpen);
    if (pull === undefined) return false;
    pull.isOpen = false;
    pull.answer({ reply: 'ack' } as Msg);
    return true;
  }

  /** It hears of it after a while. */
  async #drain(subject: string): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
    this.#listeners.delete(subject);
    for (const pull of this.#pulls) if (pull.reply === subject) pull.isOpen = false;
  }

  async *#statuses(): AsyncGenerator<{ type: string }> {
    for (;;) {
      yield await new Promise<{ type: string }>((resolve) => {
        this.#tell = resolve;
      });
    }
  }

  #pull(payload: string, reply: string): void {
    const { batch, expires } = JSON.parse(payload) as { batch: number; expires: number };
    for (let count = 0; count < batch; count += 1) {
      const pull = {
        isOpen: true,
        reply,
        answer: (message: Msg) => this.#listeners.get(reply)?.(null, message),
      };
      this.#pulls.push(pull);
      setTimeout(() => {
        if (!pull.isOpen) return;
        pull.isOpen = false;
        const headers = { code: 408, get: () => '1' };
        pull.answer({ headers } as unknown as Msg);
      }, expires / 1e6);
    }
  }
}

const never = new AbortController().signal;

beforeEach(() => {
  const intervals = ['setInterval', 'clearInterval', 'performance'] as const;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', ...intervals] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The most pulls that were open at once within so long. */
async function mostOpenWithin(ms: number, broker: Broker): Promise<number> {
  let most = 0;
  for (let passedMs = 0; passedMs < ms; passedMs += 100) {
    await vi.advanceTimersByTimeAsync(100);
    most = Math.max(most, broker.openPullCount);
  }
  return most;
}

test.each([100, 2500, 4000, 9000])('a place whose job took %i ms is pulled for once', async (jobMs) => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  for (let round = 0; round < 3; round += 1) {
    const next = pulls.next(never);
    expect(await mostOpenWithin(60_000, broker)).toBe(1);
    expect(broker.giveJob()).toBe(true);
    const job = (await next)!;
    expect(await mostOpenWithin(jobMs, broker)).toBe(0);
    pulls.acknowledge(job);
  }
});

test('pulls that counted as lost and were not are not made again and again', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const next = pulls.next(never);
  await vi.advanceTimersByTimeAsync(1000);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(6000);
  expect(await mostOpenWithin(60_000, broker)).toBe(1);
  expect(broker.giveJob()).toBe(true);
  expect(await next).toMatchObject({ reply: 'ack' });
});

test('what a pull brings that counted as lost is taken', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const places = [pulls.next(never), pulls.next(never)];
  await vi.advanceTimersByTimeAsync(1000);
  broker.reconnect();
  for (const place of places) {
    broker.giveJob(); // by pulls of before
    expect(await place).toMatchObject({ reply: 'ack' });
  }
  await vi.advanceTimersByTimeAsync(6000);
  void pulls.next(never);
  expect(await mostOpenWithin(60_000, broker)).toBe(1);
});

test('a place that is wanted no more takes what is on its way to it, and nothing after that', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const ending = new AbortController();
  const places = [pulls.next(ending.signal), pulls.next(ending.signal)];
  await vi.advanceTimersByTimeAsync(10);
  ending.abort();
  expect(broker.giveJob()).toBe(true); // it has not heard yet
  expect(await places[0]).toMatchObject({ reply: 'ack' });
  await vi.advanceTimersByTimeAsync(DRAIN_MS);
  expect(await places[1]).toBeNull();
  expect([broker.openPullCount, broker.giveJob(), broker.givenBack]).toEqual([0, false, 0]);
});

test('a pull that counted as lost brings no job either when no place is wanted any more', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const ending = new AbortController();
  const places = [pulls.next(ending.signal), pulls.next(ending.signal)];
  await vi.advanceTimersByTimeAsync(10);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(10);
  ending.abort();
  expect(broker.giveJob()).toBe(true); // by a pull of before: it has not heard yet
  expect(await places[0]).toMatchObject({ reply: 'ack' });
  await vi.advanceTimersByTimeAsync(DRAIN_MS);
  expect(await places[1]).toBeNull();
  expect([broker.openPullCount, broker.giveJob(), broker.givenBack]).toEqual([0, false, 0]);
});

test('what comes in the moment in which nobody wants it any more is given back', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const ending = new AbortController();
  const place = pulls.next(ending.signal);
  await vi.advanceTimersByTimeAsync(10);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(10);
  ending.abort();
  expect([broker.giveJob(), broker.giveJob()]).toEqual([true, true]); // two pulls for one place
  expect(await place).toMatchObject({ reply: 'ack' });
  await vi.advanceTimersByTimeAsync(DRAIN_MS);
  expect(broker.givenBack).toBe(1);
});

test('places of a connection that was closed are refused: who asks again would else never wait', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  broker.isClosed = true;
  await expect(pulls.next(never)).rejects.toThrow('closed');
  expect(await pulls.next(AbortSignal.abort())).toBeNull();
});
