// Pulls against a broker that hands out a job for each pull, and ends pulls after their time.
import { setMaxListeners } from 'node:events';
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Pulls } from './pulls.js';

interface Pull {
  isOpen: boolean;
  reply: string;
  answer(message: Msg): void;
}

const DRAIN_MS = 30;
const SUBJECT = '$JS.API.CONSUMER.MSG.NEXT.jobs.workers';

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
  /** What pulls were asked for with, and where. */
  readonly asked: { subject: string; batch: number; expires: number }[] = [];
  /** How it takes it that nobody listens to an inbox any more. */
  drain: (subject: string) => Promise<void> = (subject) => this.#drain(subject);

  /** Inboxes that are listened to. */
  get inboxes(): string[] {
    return [...this.#listeners.keys()];
  }

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
        return { getSubject: () => subject, unsubscribe, drain: () => this.drain(subject) };
      },
      publish: (subject: string, payload: string, options?: { reply: string }) => {
        if (this.isClosed) throw new Error('closed');
        if (payload === '-NAK') this.givenBack += 1;
        if (!subject.startsWith('$JS')) this.said.push(`${subject} ${payload.slice(0, 4)}`);
        const pull = payload.startsWith('+NXT ') ? payload.slice(5) : payload;
        if (!pull.startsWith('{')) return;
        this.asked.push({ subject, ...JSON.parse(pull) });
        this.#pull(pull, options!.reply);
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

  /** Of the last inbox, or of the one before that. */
  tellStatus(headers: object | undefined, inboxesBefore = 0): void {
    const inbox = this.inboxes.at(-1 - inboxesBefore)!;
    this.#listeners.get(inbox)!(null, { reply: '', headers } as unknown as Msg);
  }

  /** The connection is closed, by whomever. */
  close(): void {
    this.isClosed = true;
    this.#tell({ type: 'close' });
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
    while (!this.isClosed) {
      const status = await new Promise<{ type: string }>((resolve) => {
        this.#tell = resolve;
      });
      if (!this.isClosed) yield status;
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
setMaxListeners(0, never); // all tests share it

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
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
  const places = [pulls.next(never), pulls.next(never)];
  await vi.advanceTimersByTimeAsync(1000);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(1);
  broker.giveJob(); // by pulls of before
  expect(await places[0]).toMatchObject({ reply: 'ack' });
  void pulls.next(never);
  await vi.advanceTimersByTimeAsync(1);
  expect(broker.asked.map(({ batch }) => batch)).toEqual([2, 2]); // the two of now are enough
  broker.giveJob();
  expect(await places[1]).toMatchObject({ reply: 'ack' });
  await vi.advanceTimersByTimeAsync(6000);
  expect(await mostOpenWithin(60_000, broker)).toBe(1);
});

test('a place that is wanted no more takes what is on its way to it, and nothing after that', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
  const next = pulls.next(never);
  await vi.advanceTimersByTimeAsync(1000);
  broker.forgetPulls();
  expect(await mostOpenWithin(7000, broker)).toBe(1);
  broker.giveJob();
  expect(await next).toMatchObject({ reply: 'ack' });
  const { inboxes } = broker;
  expect(await mostOpenWithin(60_000, broker)).toBe(0);
  expect(broker.inboxes).toEqual(inboxes.slice(-1)); // nothing is expected, so nothing is lost
});

test('who waits when the connection is closed gets nothing, and no timer is left', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), SUBJECT);
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
  const pulls = new Pulls(broker.connection(), SUBJECT);
  broker.isClosed = true;
  await expect(pulls.next(never)).rejects.toThrow('closed');
  expect(await pulls.next(AbortSignal.abort())).toBeNull();
});

const status = (code: number, pending = '') => ({ code, get: () => pending });

test('pulls go to the consumer, for all places at once, and answers to an inbox of the prefix', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), SUBJECT, '_INBOX_w');
  for (let count = 0; count < 3; count += 1) void pulls.next(never);
  await vi.advanceTimersByTimeAsync(1);
  expect(broker.asked).toEqual([{ subject: SUBJECT, batch: 3, expires: 5e9 }]);
  expect(broker.inboxes).toEqual([expect.stringMatching(/^_INBOX_w\.\w{10,}$/)]);
});

test.each([
  [408, '2', 2],
  [404, '1', 1],
  [408, '', 3],
])(
  'a pull for three that ends (%i) with %j of them to come is made again for as many',
  async (code, left, missing) => {
    const broker = new Broker();
    const pulls = new Pulls(broker.connection(), SUBJECT);
    for (let count = 0; count < 3; count += 1) void pulls.next(never);
    await vi.advanceTimersByTimeAsync(1);
    broker.tellStatus(status(code, left));
    await vi.advanceTimersByTimeAsync(1);
    expect(broker.asked.map(({ batch }) => batch)).toEqual([3, missing]);
  },
);

test('a message without headers and without a reply ends no pull', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), SUBJECT);
  void pulls.next(never);
  await vi.advanceTimersByTimeAsync(1);
  broker.tellStatus(undefined);
  await vi.advanceTimersByTimeAsync(2000);
  expect(broker.asked).toHaveLength(1);
});

test('the end of a pull that counted as lost is not taken for that of its successor', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), SUBJECT);
  void pulls.next(never);
  await vi.advanceTimersByTimeAsync(1);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(10);
  expect(broker.asked).toHaveLength(2);
  broker.tellStatus(status(408, '1'), 1);
  broker.tellStatus(status(409), 1);
  await vi.advanceTimersByTimeAsync(1000);
  expect([broker.asked.length, broker.inboxes.length]).toEqual([2, 2]);
});

test('inboxes of pulls that counted as lost are listened to until these are over', async () => {
  const broker = new Broker();
  new Pulls(broker.connection(), SUBJECT);
  await vi.advanceTimersByTimeAsync(1);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(6900);
  expect(broker.inboxes).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(200);
  expect(broker.inboxes).toHaveLength(1);
});

test.each([
  ['does not answer', () => new Promise<void>(() => undefined), 2000],
  ['is gone', () => Promise.reject(new Error('gone')), 1],
])('places that are wanted no more are given up where the broker %s', async (_how, drain, ms) => {
  const broker = new Broker();
  broker.drain = drain;
  const pulls = new Pulls(broker.connection(), SUBJECT);
  const ending = new AbortController();
  let given: unknown = 'nothing';
  void pulls.next(ending.signal).then((job) => {
    given = job;
  });
  await vi.advanceTimersByTimeAsync(1);
  ending.abort();
  await vi.advanceTimersByTimeAsync(ms - 1);
  expect(given).toBe(ms > 1 ? 'nothing' : null);
  await vi.advanceTimersByTimeAsync(1);
  expect(given).toBeNull();
  expect(vi.getTimerCount()).toBeLessThanOrEqual(2); // of the pull: its end here, and at the broker
  if (broker.giveJob()) expect(broker.givenBack).toBe(1); // it has not heard
});

test('places of one signal end, those of another stay, and get what comes', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), SUBJECT);
  const ending = new AbortController();
  const listen = vi.spyOn(ending.signal, 'addEventListener');
  const ended = [pulls.next(ending.signal), pulls.next(ending.signal)];
  expect(listen).toHaveBeenCalledTimes(1);
  const stays = pulls.next(never);
  await vi.advanceTimersByTimeAsync(1);
  ending.abort();
  await vi.advanceTimersByTimeAsync(DRAIN_MS);
  expect(await Promise.all(ended)).toEqual([null, null]);
  expect(broker.inboxes).toHaveLength(1);
  expect(broker.openPullCount).toBe(1);
  broker.giveJob('x');
  expect(await stays).toMatchObject({ reply: 'x' });
  expect(broker.givenBack).toBe(0);
});

test('who asks again after places were given up gets what comes', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), SUBJECT);
  const ending = new AbortController();
  void pulls.next(ending.signal);
  await vi.advanceTimersByTimeAsync(1);
  ending.abort();
  await vi.advanceTimersByTimeAsync(DRAIN_MS);
  const next = pulls.next(never);
  await vi.advanceTimersByTimeAsync(1);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(10);
  for (const name of ['a', 'b']) broker.giveJob(name); // two pulls for one place
  expect(await next).toMatchObject({ reply: 'a' });
  expect(broker.givenBack).toBe(0);
  expect(await pulls.next(never)).toMatchObject({ reply: 'b' });
});

test('when the connection is closed all who wait get nothing, and nothing is sent any more', async () => {
  const broker = new Broker();
  const pulls = new Pulls(broker.connection(), SUBJECT);
  const [first, second] = [pulls.next(never), pulls.next(never)];
  await vi.advanceTimersByTimeAsync(1);
  broker.reconnect();
  await vi.advanceTimersByTimeAsync(10);
  for (const name of ['a', 'b', 'c']) broker.giveJob(name); // four pulls for two places
  pulls.acknowledge((await first)!);
  await second;
  const third = pulls.next(never);
  expect(await third).toMatchObject({ reply: 'c' });
  const fourth = pulls.next(never);
  broker.close();
  expect(await fourth).toBeNull();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(broker.said).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
