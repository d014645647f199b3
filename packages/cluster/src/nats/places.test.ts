import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import { NoRespondersError, TimeoutError } from '@nats-io/transport-node';
import { expect, test, vi } from 'vitest';
import { unavailable } from './connection.js';
import { ensurePlaces } from './places.js';

const description = 'JetStream not enabled for account';
const OFF = new JetStreamApiError({ code: 503, err_code: 10_039, description });

/** What an operator has made. */
function managerOf(max_msg_size: number | undefined): JetStreamManager {
  const info = async (name: string) => ({
    config: {
      name,
      allow_direct: true,
      republish: { dest: 'sbx.ended.>' },
      max_msg_size,
    },
  });
  const consumers = { info: async () => ({ config: { ack_wait: 10_000_000_000 } }) };
  return { streams: { info }, consumers } as unknown as JetStreamManager;
}

test.each([undefined, -1, 0, 2 ** 20])('records that may be of %s bytes are used', async (bytes) => {
  expect(await ensurePlaces(managerOf(bytes), {})).toMatchObject({ leaseMs: 10_000, copies: 1 });
});

test('records that may be smaller only are refused: a result would be offered again and again', async () => {
  const opening = ensurePlaces(managerOf(300), {});
  await expect(opening).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', got: 'max_msg_size 300' });
  await expect(opening).rejects.toThrow('whose stream KV_sbx-records takes');
});

test('what a broker refuses is told in its words', () => {
  const description = 'subjects overlap with an existing stream';
  const error = unavailable(new JetStreamApiError({ code: 400, err_code: 10_065, description }));
  expect(error).toMatchObject({ code: 'SBX_CLUSTER_UNAVAILABLE' });
  expect(error.message).toContain(`refuses what is needed (${description})`);
  expect(unavailable(new Error('', { cause: OFF })).message).toContain('name it: jetstreamDomain');
  expect(unavailable(new Error('cut')).message).toContain('does not answer');
});

test.each([
  ['nobody answers', new NoRespondersError('$JS.API')],
  ['somebody listens who does not answer', new TimeoutError()],
])('a user of another account finds the queue there, although %s about the rest', async (_why, error) => {
  const manager = managerOf(-1);
  vi.spyOn(manager.streams, 'info').mockRejectedValue(error);
  expect(await ensurePlaces(manager, { fileMs: 60_000 })).toMatchObject({
    ...{ leaseMs: 10_000, fileMs: 60_000 },
    ...{ recordsAreDirect: true, filesAreDirect: true, workersAreDirect: true },
  });
});

test('where there is no queue, what gives no answer is no place to make one', async () => {
  const manager = managerOf(-1);
  const missing = new JetStreamApiError({ code: 404, err_code: 10_014, description: 'consumer not found' });
  vi.spyOn(manager.consumers, 'info').mockRejectedValue(missing);
  vi.spyOn(manager.streams, 'info').mockRejectedValue(new TimeoutError());
  await expect(ensurePlaces(manager, {})).rejects.toBeInstanceOf(TimeoutError);
});

test('a queue that another made meanwhile is used as it is', async () => {
  const manager = managerOf(-1);
  const missing = new JetStreamApiError({ code: 404, err_code: 10_014, description: 'consumer not found' });
  vi.spyOn(manager.consumers, 'info').mockRejectedValueOnce(missing);
  const add = vi.fn();
  Object.assign(manager.consumers, { add });
  expect(await ensurePlaces(manager, { leaseMs: 1000 })).toMatchObject({ leaseMs: 10_000 });
  expect(add).not.toHaveBeenCalled();
});
