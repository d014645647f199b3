/** A worker's side of JetStream: a pull for each free place, so that the broker never hands out more than can start. */
import type { Consumer, JsMsg } from '@nats-io/jetstream';
import type { Delivery, WorkerLink } from '../links.js';
import { subjects } from '../names.js';
import { decodeJob } from '../wire/job.js';
import { decodeCancel, encodeNotice } from '../wire/notice.js';
import type { Broker } from './connection.js';
import { recordLink } from './record-link.js';

/** A pull that brought nothing is made anew. */
const PULL_MS = 30_000;
const PING_MS = 2000;
const TENANT_AT = 2;

/** `onBroken`: a message in the queue is none of ours, and was taken out of it. */
export function workerLink(broker: Broker, consumer: Consumer, onBroken: (error: Error) => void): WorkerLink {
  const { connection } = broker;
  return {
    ...recordLink(broker),
    next: (signal) => next(consumer, signal, onBroken),
    notify({ tenant, submitter }, header, record) {
      if (connection.isClosed()) return;
      connection.publish(subjects.notice(tenant, submitter), encodeNotice(header, record));
    },
    onCancel(take) {
      connection.subscribe(subjects.cancel('*'), {
        callback: (error, message) => {
          if (error !== null) return;
          try {
            take(tenantOf(message.subject), decodeCancel(message.data));
          } catch {
            // of another version, or made up: records say what was cancelled
          }
        },
      });
    },
    async isHeard({ tenant, submitter }) {
      try {
        const ping = encodeNotice({ kind: 'ping' });
        await connection.request(subjects.notice(tenant, submitter), ping, { timeout: PING_MS });
        return true;
      } catch (error) {
        if (connection.isClosed()) throw error;
        return false; // nobody listens there, or does not answer
      }
    },
  };
}

function tenantOf(subject: string): string {
  return subject.split('.')[TENANT_AT] ?? '';
}

async function next(
  consumer: Consumer,
  signal: AbortSignal,
  onBroken: (error: Error) => void,
): Promise<Delivery | null> {
  if (signal.aborted) return null;
  const messages = await consumer.fetch({ max_messages: 1, expires: PULL_MS });
  const stop = () => messages.stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const message of messages) {
      if (!signal.aborted) return deliveryOf(message, onBroken);
      message.nak(); // it came while the worker was told to end: another gets it
    }
    return null;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function deliveryOf(message: JsMsg, onBroken: (error: Error) => void): Delivery | null {
  try {
    return {
      job: decodeJob(message.data, tenantOf(message.subject)),
      attempt: message.info.deliveryCount,
      extend: () => message.working(),
      done: () => message.ack(),
    };
  } catch (error) {
    message.term('not a job of this version');
    onBroken(error as Error);
    return null;
  }
}
