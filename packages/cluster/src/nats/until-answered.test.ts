import { JetStreamApiError } from '@nats-io/jetstream';
import {
  ClosedConnectionError,
  type NatsConnection,
  NoRespondersError,
  RequestError,
  TimeoutError,
} from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { untilAnswered } from './until-answered.js';

const connection = { isClosed: () => false, isDraining: () => false } as NatsConnection;
const never = () => false;
const nobody = () => new RequestError('nobody', { cause: new NoRespondersError('there') });
const apiError = (code: number) =>
  new JetStreamApiError({ code, err_code: 10_000, description: 'it says so' });

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** What comes of it within that time. */
async function within(ms: number, asking: Promise<unknown>): Promise<unknown> {
  let end: unknown = 'asks on';
  asking.then(
    (value) => (end = value),
    (error) => (end = error),
  );
  await vi.advanceTimersByTimeAsync(ms);
  return end;
}

test.each([
  ['no answer', new TimeoutError()],
  ['nobody for the stream', nobody()],
  ['a stream without a leader', apiError(503)],
])('%s is asked again, until there is an answer', async (_what, error) => {
  const ask = vi.fn().mockRejectedValueOnce(error).mockRejectedValueOnce(error).mockResolvedValue('there');
  expect(await within(1000, untilAnswered(connection, never, ask))).toBe('there');
  expect(ask).toHaveBeenCalledTimes(3);
});

test('a refusal is none to ask again for', async () => {
  const error = apiError(400);
  expect(
    await within(
      0,
      untilAnswered(connection, never, () => Promise.reject(error)),
    ),
  ).toBe(error);
});

test('a broker that is away is asked for as long as somebody waits', async () => {
  let isOver = false;
  const asking = untilAnswered(
    connection,
    () => isOver,
    () => Promise.reject(new TimeoutError()),
  );
  expect(await within(3_600_000, asking)).toBe('asks on');
  isOver = true;
  expect(await within(2000, asking)).toMatchObject({ code: 'SBX_CLUSTER_UNAVAILABLE', retryable: true });
});

test('a broker that is there and has no such stream is given up after a while', async () => {
  const asking = untilAnswered(connection, never, () => Promise.reject(nobody()));
  expect(await within(29_000, asking)).toBe('asks on');
  expect(await within(4000, asking)).toMatchObject({ code: 'SBX_CLUSTER_UNAVAILABLE' });
});

test('nothing is asked again where the connection was closed', async () => {
  const ask = vi.fn().mockRejectedValue(new ClosedConnectionError());
  const end = await within(0, untilAnswered(connection, never, ask));
  expect(end).toMatchObject({ code: 'SBX_CLUSTER_UNAVAILABLE' });
  expect(ask).toHaveBeenCalledTimes(1);
});
