import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GojudgeClient } from './client.js';

/** A server that is full and says when to come again. */
function clientOf(retryAfter: string) {
  const calls = { count: 0 };
  const fetchFull = async () => {
    calls.count += 1;
    return new Response('worker queue is full', { status: 500, headers: { 'retry-after': retryAfter } });
  };
  const transport = {
    fetch: fetchFull as unknown as typeof fetch,
    canStreamRequests: true,
    openSocket: () => Promise.reject(new Error('no sockets')),
  };
  return { calls, client: new GojudgeClient({ url: 'http://x', retries: 1, transport }) };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

test.each([
  ['3', 3000],
  ['2000000', 60_000],
])('a server that asks for %s s is asked again after %i ms', async (retryAfter, waitMs) => {
  const { client, calls } = clientOf(retryAfter);
  const run = client.run({ args: ['x'] }).catch((error) => error);
  await vi.advanceTimersByTimeAsync(waitMs - 1);
  expect(calls.count).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(await run).toMatchObject({ code: 'GOJUDGE_OVERLOADED', retryAfterMs: Number(retryAfter) * 1000 });
  expect(calls.count).toBe(2);
});

test('the end of the client, or of its caller, ends the wait and its timer', async () => {
  const { client } = clientOf('10');
  const controller = new AbortController();
  const closed = client.run({ args: ['x'] }).catch((error) => error);
  const aborted = client.run({ args: ['x'] }, { signal: controller.signal }).catch((error) => error);
  await vi.advanceTimersByTimeAsync(10);
  expect(vi.getTimerCount()).toBe(2);
  controller.abort(new Error('enough'));
  expect(await aborted).toHaveProperty('message', 'enough');
  await client.close();
  expect(await closed).toMatchObject({ code: 'GOJUDGE_CLOSED' });
  expect(vi.getTimerCount()).toBe(0);
});
