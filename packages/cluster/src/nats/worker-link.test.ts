// A worker's link before a broker that hands it messages of the test.
import { headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { decodeEnvelope } from '../wire/envelope.js';
import { decodeRecord } from '../wire/record.js';
import type { Broker } from './connection.js';
import { workerLink } from './worker-link.js';

const HASH = 'a'.repeat(64);
/** As another version would begin a message. */
const OTHER_VERSION = Uint8Array.of(2, 0, 0, 0, 2, 0x7b, 0x7d);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function opened(stores: () => Promise<object>) {
  let give: (error: null, message: Msg) => void = () => undefined;
  const connection = {
    isClosed: () => false,
    publish: () => undefined,
    subscribe: (_subject: string, { callback }: { callback: typeof give }) => {
      give = callback;
      return { getSubject: () => 'inbox', unsubscribe: () => undefined };
    },
    status: () => (async function* never() {})(),
  };
  const stored = vi.fn<(subject: string, data: Uint8Array) => Promise<object>>(stores);
  const broker = {
    connection: connection as unknown as NatsConnection,
    client: { apiPrefix: '$JS.API' },
    asks: { publish: stored },
    records: {},
  };
  const onBroken = vi.fn();
  const link = workerLink(broker as unknown as Broker, { name: 'w', onBroken });
  const deliver = async (given: Record<string, string>) => {
    const respond = vi.fn();
    const own = headers();
    for (const [name, value] of Object.entries(given)) own.set(name, value);
    const taken = link.next(new AbortController().signal).catch((error) => error);
    give(null, {
      ...{ subject: 'sbx.jobs.t', reply: '$JS.ACK.sbx-jobs.workers.1.5.5.1700000000000000000.0' },
      ...{ data: OTHER_VERSION, headers: own, respond },
    } as unknown as Msg);
    return { taken: await taken, respond };
  };
  return { deliver, stored, onBroken };
}

const job = { 'Nats-Msg-Id': 't.a', 'Sbx-Body': HASH };

test('the submitter of a job of another version is told so, by a record', async () => {
  const { deliver, stored, onBroken } = opened(async () => ({ seq: 1 }));
  const { taken, respond } = await deliver(job);
  expect(taken).toBeNull();
  const [subject, data] = stored.mock.calls[0]!;
  const record = decodeRecord(data);
  expect([subject, record.kind, record.bodyHash]).toEqual(['$KV.sbx-records.t.a', 'done', HASH]);
  expect(decodeEnvelope(record.outcome).header).toMatchObject({
    kind: 'error',
    error: { code: 'SBX_INTERNAL', message: expect.stringMatching(/version 2, not 1.*Update the older/) },
  });
  expect(respond).toHaveBeenCalledWith(expect.stringContaining('+TERM'));
  expect(onBroken).toHaveBeenCalledTimes(1);
});

test.each([
  ['no names', {}],
  ['the name of another tenant', { ...job, 'Nats-Msg-Id': 'other.a' }],
  ['a name that is none', { ...job, 'Nats-Msg-Id': 't.*' }],
  ['no hash', { 'Nats-Msg-Id': 't.a' }],
  ['an answer that was sent there', { ...job, 'Nats-Subject': 'sbx.jobs.a' }],
])('a message with %s gets no record, and leaves the queue', async (_what, given) => {
  const { deliver, stored } = opened(async () => ({ seq: 1 }));
  const { respond } = await deliver(given);
  expect(stored).not.toHaveBeenCalled();
  expect(respond).toHaveBeenCalledWith(expect.stringContaining('+TERM'));
});

test('where that cannot be told now, the job stays in the queue', async () => {
  const { deliver } = opened(() => Promise.reject(new Error('the broker is gone')));
  const { taken, respond } = await deliver(job);
  expect(taken).toMatchObject({ message: 'the broker is gone' });
  expect(respond).not.toHaveBeenCalled();
});
