/** How long the queue at the broker is. */
import type { RunnerQueue } from '@sbx/core';
import { JOB_STREAM, WORKERS } from '../names.js';
import type { Broker } from './connection.js';

/** Rejects when the broker does not answer. */
export async function queueOf({ manager }: Pick<Broker, 'manager'>): Promise<RunnerQueue> {
  const [{ state }, consumer] = await Promise.all([
    manager.streams.info(JOB_STREAM),
    manager.consumers.info(JOB_STREAM, WORKERS),
  ]);
  const oldest = state.messages > 0 ? Date.now() - Date.parse(state.first_ts as unknown as string) : null;
  return {
    waiting: consumer.num_pending,
    running: consumer.num_ack_pending,
    redelivered: consumer.num_redelivered,
    oldestMs: oldest === null ? null : Math.max(0, oldest),
  };
}
