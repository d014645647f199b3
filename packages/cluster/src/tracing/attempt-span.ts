/** A worker's attempt at a job: what came before it at the broker, and what the worker does. */
import { openTelemetry, traced, tracerOf } from '@sbx/shared';
import type { Delivery } from '../links.js';
import { JOB_STREAM } from '../names.js';
import { contextOf } from './trace-context.js';

/** `worker`: its name. */
export function tracedAttempt<T>(
  { job, attempt, queuedMs }: Delivery,
  worker: string,
  work: () => Promise<T>,
): Promise<T> {
  const api = openTelemetry();
  if (api === null) return work();
  const parent = contextOf(job.trace) ?? api.ROOT_CONTEXT;
  if (queuedMs !== null) {
    const now = Date.now();
    const startTime = now - Math.max(0, queuedMs);
    tracerOf(api).startSpan('sbx.queue', { startTime }, parent).end(now);
  }
  return traced(work, () => ({
    name: 'sbx.attempt',
    parent,
    options: {
      kind: api.SpanKind.CONSUMER,
      attributes: {
        'messaging.system': 'nats',
        'messaging.destination.name': JOB_STREAM,
        'sbx.tenant': job.tenant,
        'sbx.job.id': job.id,
        'sbx.attempt': attempt,
        'sbx.worker': worker,
      },
    },
    describe: () => ({}),
  }));
}
