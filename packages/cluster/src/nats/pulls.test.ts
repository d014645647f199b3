// Pulls against a broker that hands out a job for each pull, and ends pulls after their time.
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pulls } from './pulls.js';

interface Pull {
  isOpen: boolean;
  answer(message: Msg): void;
}

/** One that keeps the pulls of `Pulls`, and what they were told. */
class Broker {
  readonly #pulls: Pull[] = [];
  readonly #listeners = new Map<string, (error: null, message: Msg) => void>();
  #tell: (status: { type: string }) => void = () => undefined;

  get openPullCount(): number {
    return this.#pulls.filter(({ isOpen }) => isOpen).length;
  }

  connection(): NatsConnection {
    const made = {
      isClosed: () => false,
      status: () => this.#statuses(),
      subscribe: (subject: string, { callback }: { callback: (error: null, message: Msg) => void }) => {
        this.#listeners.set(subject, callback);
        return { getSubject: () => subject, unsubscribe: () => this.#listeners.delete(subject) };
      },
      publish: (subject: string, payload: string, options?: { reply: string }) => {
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
      const pull = { isOpen: true, answer: (message: Msg) => this.#listeners.get(reply)?.(null, message) };
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
