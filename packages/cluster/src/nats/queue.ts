/** How long the queue at the broker is. */
import type { RunnerQueue } from '@sbx/core';
import { JOB_STREAM, WORKERS } from '../names.js';
import type { Broker } from './connection.js';

/** Rejects when the broker does not answer. */
export async function queueOf({ manager }: Pick<Broker, 'manager'>): Promise<RunnerQueue> {
  const [stream, consumer] = await Promise.all([
    manager.streams.info(JOB_STREAM),
    manager.consumers.info(JOB_STREAM, WORKERS),
  ]);
  const { messages, first_ts: first } = stream.state;
  return {
    waiting: consumer.num_pending,
    running: consumer.num_ack_pending,
    redelivered: consumer.num_redelivered,
    oldestMs: messages > 0 ? Math.max(0, timeOf(stream) - Date.parse(first as unknown as string)) : null,
  };
}

/** At the broker, in the moment of its answer: this machine's clock may say anything. */
function timeOf(answer: object): number {
  const told = 'ts' in answer ? Date.parse(String(answer.ts)) : Number.NaN;
  return Number.isNaN(told) ? Date.now() : told;
}
