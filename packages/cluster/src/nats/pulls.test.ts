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
  /** What was said of messages, and how many pulls came with it. */
  readonly said: string[] = [];
  /** Instead of keeping pulls. */
  refusal: number | null = null;
  /** When. */
  readonly refusals: number[] = [];
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
        if (!subject.startsWith('$JS')) this.said.push(`${subject} ${payload.slice(0, 4)}`);
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
  giveJob(reply = 'ack'): boolean {
    const pull = this.#pulls.find(({ isOpen }) => isOpen);
    if (pull === undefined) return false;
    pull.isOpen = false;
    pull.answer({ reply } as Msg);
    return true;
  }

  /** Its leader is another one now, which knows of no pulls. */
  forgetPulls(): void {
    for (const pull of this.#pulls) pull.isOpen = false;
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
      if (this.refusal !== null) {
        pull.isOpen = false;
        const headers = { code: this.refusal, get: () => '' };
        this.refusals.push(performance.now());
        setTimeout(() => pull.answer({ headers } as unknown as Msg), 0);
        continue;
      }
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

test('acknowledgements go along with a pull, or by themselves soon, each once', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const jobs = [pulls.next(never), pulls.next(never), pulls.next(never)];
  await vi.advanceTimersByTimeAsync(1);
  for (const name of ['a', 'b', 'c']) broker.giveJob(name);
  const [a, b, c] = (await Promise.all(jobs)) as [Msg, Msg, Msg];
  for (const job of [a, b]) pulls.acknowledge(job);
  void pulls.next(never);
  await vi.advanceTimersByTimeAsync(1);
  expect(broker.said).toEqual(['a +NXT', 'b +ACK']);
  expect(broker.openPullCount).toBe(1);
  pulls.acknowledge(c);
  await vi.advanceTimersByTimeAsync(1000);
  expect(broker.said.slice(2)).toEqual(['c +ACK']);
  pulls.acknowledge(c);
  pulls.flush();
  pulls.flush();
  await vi.advanceTimersByTimeAsync(1000);
  expect(broker.said.slice(3)).toEqual(['c +ACK']);
});

test('a job that has no place keeps its lease, and is the next one', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const first = pulls.next(never);
  await vi.advanceTimersByTimeAsync(1);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(10);
  for (const name of ['a', 'b']) broker.giveJob(name); // two pulls for one place
  expect(await first).toMatchObject({ reply: 'a' });
  await vi.advanceTimersByTimeAsync(1000);
  expect(broker.said).toEqual(['b +WPI', 'b +WPI', 'b +WPI']);
  expect(await pulls.next(never)).toMatchObject({ reply: 'b' });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([broker.said.length, broker.openPullCount]).toEqual([3, 0]);
});

test('a consumer that has no leader is asked after pauses, the longer the longer it has none', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  broker.refusal = 503;
  const next = pulls.next(never);
  await vi.advanceTimersByTimeAsync(4000);
  const pauses = broker.refusals.slice(1).map((at, index) => at - broker.refusals[index]!);
  for (const [index, least] of [100, 200, 400, 800, 1000].entries()) {
    expect(pauses[index]).toBeGreaterThanOrEqual(least);
    expect(pauses[index]).toBeLessThan(least + 50);
  }
  broker.refusal = null;
  await vi.advanceTimersByTimeAsync(2000);
  broker.giveJob();
  expect(await next).toMatchObject({ reply: 'ack' });
  broker.refusal = 503;
  broker.refusals.length = 0;
  void pulls.next(never);
  await vi.advanceTimersByTimeAsync(150);
  expect(broker.refusals).toHaveLength(2);
});

test('pulls of which nothing is heard are made anew', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const next = pulls.next(never);
  await vi.advanceTimersByTimeAsync(1000);
  broker.forgetPulls();
  expect(await mostOpenWithin(7000, broker)).toBe(1);
  broker.giveJob();
  expect(await next).toMatchObject({ reply: 'ack' });
  expect(await mostOpenWithin(60_000, broker)).toBe(0);
});

test('who waits when the connection is closed gets nothing, and no timer is left', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  const ending = new AbortController();
  const next = pulls.next(ending.signal);
  broker.isClosed = true;
  ending.abort();
  expect(await next).toBeNull();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('places of a connection that was closed are refused: who asks again would else never wait', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), 'jobs.workers');
  broker.isClosed = true;
  await expect(pulls.next(never)).rejects.toThrow('closed');
  expect(await pulls.next(AbortSignal.abort())).toBeNull();
});
