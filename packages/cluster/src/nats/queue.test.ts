import { expect, test } from 'vitest';
import type { Broker } from './connection.js';
import { queueOf } from './queue.js';

/** What the broker says whose clock is `aheadMs` ahead of this machine's, of a job that came 5 s before. */
function brokerAhead(aheadMs: number): Pick<Broker, 'manager'> {
  const now = Date.now() + aheadMs;
  const state = { messages: 1, first_ts: new Date(now - 5000).toISOString() };
  const streams = { info: async () => ({ state, ts: new Date(now).toISOString() }) };
  const consumers = { info: async () => ({ num_pending: 1, num_ack_pending: 0, num_redelivered: 0 }) };
  return { manager: { streams, consumers } as unknown as Broker['manager'] };
}

test.each([0, 600_000, -600_000])('with clocks that differ by %i ms the oldest job is as old', async (ms) => {
  expect(await queueOf(brokerAhead(ms))).toEqual({ waiting: 1, running: 0, redelivered: 0, oldestMs: 5000 });
});
