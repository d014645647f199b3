import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Asks } from './asks.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A broker whose answers the test gives. */
function brokerWithoutAnswers() {
  let close: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    close = resolve;
  });
  const replies: string[] = [];
  let take: (error: null, message: Msg) => void = () => undefined;
  const connection = {
    subscribe: (_subject: string, { callback }: { callback: typeof take }) => {
      take = callback;
    },
    publish: (_subject: string, _data: Uint8Array, { reply }: { reply: string }) => void replies.push(reply),
    closed: () => closed,
  };
  const answer = (index: number, text: string) => {
    const message = { subject: replies[index], data: Buffer.from(text), json: () => JSON.parse(text) };
    take(null, message as unknown as Msg);
  };
  return { asks: new Asks(connection as unknown as NatsConnection), answer, close };
}

const NONE = new Uint8Array(0);

test('each message gets its own answer, in whatever order they come', async () => {
  const { asks, answer } = brokerWithoutAnswers();
  const first = asks.publish('a', NONE, headers());
  const second = asks.publish('b', NONE, headers());
  answer(1, '{"stream":"s","seq":8,"duplicate":true}');
  answer(0, '{"stream":"s","seq":7}');
  expect((await first).seq).toBe(7);
  expect(await second).toMatchObject({ seq: 8, duplicate: true });
  answer(0, '{"stream":"s","seq":9}'); // a second answer is nobody's
});

test('a refusal carries its code; no answer, an empty one and a closed connection are errors', async () => {
  const { asks, answer, close } = brokerWithoutAnswers();
  const refused = asks.publish('a', NONE, headers());
  answer(0, '{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 4"}}');
  await expect(refused).rejects.toMatchObject({ code: 10071 });
  const unheard = asks.publish('a', NONE, headers());
  answer(1, '');
  await expect(unheard).rejects.toThrow('nobody listens');
  const early = asks.publish('a', NONE, headers());
  const isEarly = expect(early).rejects.toThrow('did not answer');
  await vi.advanceTimersByTimeAsync(3000);
  const late = asks.publish('a', NONE, headers());
  await vi.advanceTimersByTimeAsync(2000);
  await isEarly;
  answer(3, '{"stream":"s","seq":1}'); // asked later, so it still waits
  expect((await late).seq).toBe(1);
  const cut = asks.publish('a', NONE, headers());
  close();
  await expect(cut).rejects.toThrow('closed');
});
