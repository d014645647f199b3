/**
 * A worker's side of JetStream: a pull for each free place, so that the broker never hands out more than can
 * start.
 */
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { Delivery, WorkerLink } from '../links.js';
import { JOB_STREAM, subjects, WORKERS } from '../names.js';
import { readTraceHeaders } from '../tracing/trace-context.js';
import { BrokenMessageError } from '../wire/envelope.js';
import { decodeJob } from '../wire/job.js';
import { decodeCancel, encodeNotice } from '../wire/notice.js';
import { isSent, isSentJob } from './answers.js';
import type { Broker } from './connection.js';
import { IN_PROGRESS, notNow, Pulls } from './pulls.js';
import { recordLink } from './record-link.js';
import { refusalOf } from './refusal.js';

const PING_MS = 2000;
const TENANT_AT = 2;
/**
 * Where the number of deliveries stands in the subject for acknowledgements, and in that of servers which add
 * domain and account.
 */
const DELIVERIES_AT = 4;
const DELIVERIES_AT_LONG = 6;
const LONG = 11;
/** From the number of deliveries to the time at which the job was stored, in ns since 1970. */
const TO_STORED_AT = 3;

export interface WorkerLinkOptions {
  /** Name of the worker. */
  name: string;
  /** A message in the queue is none of ours, and is taken out of it. */
  onBroken(error: Error): void;
}

export function workerLink(
  broker: Broker,
  { name, onBroken }: WorkerLinkOptions,
): WorkerLink & { flush(): void } {
  const { connection, client } = broker;
  const pullSubject = `${client.apiPrefix}.CONSUMER.MSG.NEXT.${JOB_STREAM}.${WORKERS}`;
  const pulls = new Pulls(connection, pullSubject, broker.inboxPrefix);
  const { createRecord, readRecord } = recordLink(broker);
  /** Rejects when the broker is gone: it hands the message out again. */
  const refuse = async (message: Msg, error: Error) => {
    onBroken(error);
    const told = { tenant: tenantOf(message.subject), worker: name, error };
    const refusal = isSentJob(message.headers) ? refusalOf(message.headers, told) : null;
    if (refusal !== null) await createRecord(refusal.key, refusal.record);
    message.respond('+TERM not a job of this version');
  };
  return {
    readRecord,
    /** In one write with the pull for the place that the job leaves. */
    createRecord: (key, record) =>
      new Promise((resolve, reject) => {
        process.nextTick(() => createRecord(key, record).then(resolve, reject));
      }),
    flush: () => pulls.flush(),
    async next(signal) {
      const message = await pulls.next(signal);
      if (message === null) return null;
      try {
        return deliveryOf(message, connection, pulls);
      } catch (error) {
        await refuse(message, error as Error);
        return null;
      }
    },
    notify({ tenant, submitter }, notice) {
      if (connection.isClosed()) return;
      connection.publish(subjects.notice(tenant, submitter), encodeNotice(notice));
    },
    onCancel(take) {
      connection.subscribe(subjects.cancel('*'), {
        callback: (error, message) => {
          if (error !== null || !isSent(message.headers)) return;
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

/** Throws `BrokenMessageError`. */
function deliveryOf(message: Msg, connection: NatsConnection, pulls: Pulls): Delivery {
  const trace = readTraceHeaders((name) => message.headers?.get(name));
  if (!isSentJob(message.headers)) throw new BrokenMessageError('the message is an answer');
  // Of a timer, whose error would end the process.
  const respond = (text: string) => void (connection.isClosed() || message.respond(text));
  return {
    job: decodeJob(message.data, tenantOf(message.subject), trace),
    ...deliveryFacts(message.reply ?? ''),
    extend: () => respond(IN_PROGRESS),
    done: () => pulls.acknowledge(message),
    handBack: (ms) => respond(notNow(ms)),
  };
}

/** Throws when the message is none of a consumer. */
function deliveryFacts(reply: string): Pick<Delivery, 'attempt' | 'queuedMs'> {
  const parts = reply.split('.');
  const at = parts.length >= LONG ? DELIVERIES_AT_LONG : DELIVERIES_AT;
  const attempt = Number(parts[at]);
  const storedAtMs = Number(parts[at + TO_STORED_AT]) / 1e6;
  if (!Number.isInteger(attempt) || attempt < 1 || !Number.isFinite(storedAtMs)) {
    throw new BrokenMessageError('the message is of no consumer');
  }
  return { attempt, queuedMs: attempt > 1 ? null : Date.now() - storedAtMs };
}
