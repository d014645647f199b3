/** A submitter's side of JetStream. */
import { headers } from '@nats-io/transport-node';
import type { Published, QueuedJob, SubmitterLink } from '../links.js';
import { HASH_HEADER, ID_HEADER, JOB_STREAM, recordKey, subjects } from '../names.js';
import { encodeJob } from '../wire/job.js';
import { decodeNotice, encodeCancel, type Notice } from '../wire/notice.js';
import { OWN_HEADERS } from './answers.js';
import type { Broker } from './connection.js';
import { tenantIn } from './denials.js';
import { Feeds } from './feeds.js';
import { recordLink } from './record-link.js';

/** Another tenant has sent messages under both names of the job. */
const TAKEN: Published = { sequence: 0, before: 'of another tenant' };

/** `name`: of this submitter, in the subject of its notices. */
export function submitterLink(broker: Broker, name: string): SubmitterLink {
  const { connection } = broker;
  let take: (notice: Notice) => void = () => undefined;
  const feeds = new Feeds(connection, {
    name,
    onNotice(tenant, message) {
      const notice = noticeOf(message.data);
      if (notice?.kind === 'ping') message.respond();
      else if (notice?.tenant === tenant) take(notice);
    },
  });
  return {
    ...recordLink(broker),
    publish(job) {
      feeds.flush();
      return publish(broker, job);
    },
    async remove(sequence) {
      await broker.manager.streams.deleteMessage(JOB_STREAM, sequence, false);
    },
    cancel(tenant, cancel) {
      if (connection.isClosed()) return;
      connection.publish(subjects.cancel(tenant), encodeCancel(cancel), { headers: OWN_HEADERS });
    },
    onNotice(callback) {
      take = callback;
    },
    follow: ({ tenant, id }, take) => feeds.follow(tenant, id, take),
    onDenied(call) {
      broker.denials.onDenied((denied) => {
        const tenant = tenantIn(denied.subject);
        if (tenant === null) return;
        feeds.drop(tenant);
        call(tenant, denied);
      });
    },
    onReconnect: (call) => void watchReconnects(broker, call),
  };
}

function noticeOf(data: Uint8Array): Notice | null {
  try {
    return decodeNotice(data);
  } catch {
    return null; // from a worker of another version; records are looked for all the same
  }
}

async function publish(broker: Broker, job: QueuedJob): Promise<Published> {
  const key = recordKey(job.tenant, job.id);
  const published = await publishAs(broker, job, key);
  // The name of another tenant's message. One with the hash in it takes who knows every byte of the job.
  return published ?? (await publishAs(broker, job, `${key}.${job.bodyHash}`)) ?? TAKEN;
}

/** `null`: a message of another tenant has that name. */
async function publishAs(broker: Broker, job: QueuedJob, messageId: string): Promise<Published | null> {
  const { asks, manager } = broker;
  const own = headers();
  own.set(HASH_HEADER, job.bodyHash);
  own.set(ID_HEADER, messageId);
  for (const [name, value] of Object.entries(job.trace ?? {})) if (value !== '') own.set(name, value);
  const subject = subjects.jobs(job.tenant);
  const { seq, duplicate } = await asks.publish(subject, encodeJob(job), own);
  if (duplicate !== true) return { sequence: seq, before: null };
  // Where that is denied, as to a submitter of one tenant, the record will tell.
  const stored = await manager.streams.getMessage(JOB_STREAM, { seq }).catch(() => undefined);
  if (stored === undefined) return { sequence: seq, before: '' };
  if (stored !== null && stored.subject !== subject) return null;
  if (stored !== null) return { sequence: seq, before: stored.header?.get(HASH_HEADER) ?? '' };
  // Ours left the queue when it had a record.
  const record = await recordLink(broker).readRecord(recordKey(job.tenant, job.id));
  return record === null ? null : { sequence: seq, before: '' };
}

async function watchReconnects({ connection }: Broker, call: () => void): Promise<void> {
  for await (const { type } of connection.status()) if (type === 'reconnect') call();
}
