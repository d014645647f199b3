/**
 * What lies at the broker: made when it is missing, used as it is when an operator has made it. Whoever may
 * not look whether it is there takes it to be: a submitter of one tenant needs to see little of it.
 */
import {
  AckPolicy,
  type ConsumerInfo,
  DiscardPolicy,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream';
import { millis, NoRespondersError, nanos, TimeoutError } from '@nats-io/transport-node';
import { InvalidOptionsError } from '@sbx/core';
import {
  FILE_BUCKET,
  JOB_STREAM,
  RECORD_BUCKET,
  recordSubject,
  subjects,
  WORKER_BUCKET,
  WORKERS,
} from '../names.js';
import { deniedBy } from './denials.js';

const LEASE_MS = 10_000;
const RECORD_MS = 600_000;
const FILE_MS = 86_400_000;
/** Of a record with its subject; a server takes 1 MiB unless it is told otherwise, and a stream anything. */
export const PAYLOAD_BYTES_MIN = 984 * 1024;
/** Workers announce themselves three times in this time. */
export const PRESENCE_MS = 15_000;
/** Of the consumer: jobs that workers have, and pulls that wait. */
const PENDING_MAX = 65_536;
const PULLS_MAX = 65_536;
/** The broker sends each record to those that wait for it, in the moment in which it is stored. */
const REPUBLISH = { src: recordSubject('>'), dest: subjects.ended('>') };

/** Of `BrokerOptions`: what to make. */
export interface PlaceOptions {
  replicas?: number | undefined;
  leaseMs?: number | undefined;
  recordMs?: number | undefined;
  fileMs?: number | undefined;
}

/** How it is, whoever made it. */
export interface Places {
  leaseMs: number;
  /** `Infinity`: for ever. */
  fileMs: number;
  /** Of the queue, on servers each. */
  copies: number;
  /** Whether they may be read from any server that has them. */
  recordsAreDirect: boolean;
  filesAreDirect: boolean;
  workersAreDirect: boolean;
}

/** The queue is made last: where it is, all of them are. Rejects with what the broker says. */
export async function ensurePlaces(manager: JetStreamManager, options: PlaceOptions): Promise<Places> {
  const { replicas = 1, recordMs = RECORD_MS, fileMs = FILE_MS } = options;
  const queue = await findQueue(manager);
  const ensure = (config: Partial<StreamConfig> & { name: string }) =>
    ensureStream(manager, config, queue !== null);
  const [records, workers, files] = await Promise.all([
    ensure({
      ...bucketOf(`KV_${RECORD_BUCKET}`, recordMs, replicas),
      subjects: [recordSubject('>')],
      max_msgs_per_subject: 1,
      republish: REPUBLISH,
    }),
    ensure({
      ...bucketOf(`KV_${WORKER_BUCKET}`, PRESENCE_MS, replicas),
      subjects: [`$KV.${WORKER_BUCKET}.>`],
      max_msgs_per_subject: 1,
    }),
    ensure({
      ...bucketOf(`OBJ_${FILE_BUCKET}`, fileMs, replicas),
      subjects: [`$O.${FILE_BUCKET}.C.>`, `$O.${FILE_BUCKET}.M.>`],
    }),
  ]);
  if (records !== null) checkSize(records);
  if (records !== null) await ensureRecordsAre(manager, records);
  // Looked for again: others may have made it meanwhile, with leases of theirs.
  const { config, cluster } = queue ?? (await findQueue(manager)) ?? (await makeQueue(manager, options));
  const others = cluster?.replicas?.length ?? 0; // than the leader
  const maxAge = files?.config.max_age ?? nanos(fileMs);
  return {
    leaseMs: millis(config.ack_wait ?? nanos(LEASE_MS)),
    copies: 1 + others,
    fileMs: maxAge > 0 ? millis(maxAge) : Number.POSITIVE_INFINITY,
    recordsAreDirect: records?.config.allow_direct ?? true,
    filesAreDirect: files?.config.allow_direct ?? true,
    workersAreDirect: workers?.config.allow_direct ?? true,
  };
}

/** At the broker is nothing of a cluster. */
export class NoQueueError extends Error {}

/** Makes nothing. Throws `NoQueueError`. */
export async function findPlaces(manager: JetStreamManager, options: PlaceOptions): Promise<Places> {
  if (await isQueueThere(manager)) return ensurePlaces(manager, options);
  throw new NoQueueError();
}

/** Rejects with what the broker says. */
export async function isQueueThere(manager: JetStreamManager): Promise<boolean> {
  return (await findQueue(manager)) !== null;
}

async function findQueue(manager: JetStreamManager): Promise<ConsumerInfo | null> {
  return manager.consumers.info(JOB_STREAM, WORKERS).catch((error) => {
    if (isMissing(error)) return null;
    throw error;
  });
}

async function makeQueue(manager: JetStreamManager, options: PlaceOptions): Promise<ConsumerInfo> {
  const { replicas = 1, recordMs = RECORD_MS, leaseMs = LEASE_MS } = options;
  await ensureStream(
    manager,
    {
      name: JOB_STREAM,
      subjects: [subjects.jobs('*')],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      num_replicas: replicas,
      duplicate_window: nanos(recordMs),
    },
    false,
  );
  return manager.consumers.add(JOB_STREAM, {
    durable_name: WORKERS,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(leaseMs),
    max_ack_pending: PENDING_MAX,
    max_waiting: PULLS_MAX,
  });
}

/** As NATS makes its buckets, and without rollups, by which a tenant could clear those of all others. */
function bucketOf(name: string, maxAgeMs: number, num_replicas: number) {
  return {
    name,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.New,
    max_age: Number.isFinite(maxAgeMs) ? nanos(maxAgeMs) : 0,
    num_replicas,
    allow_direct: true,
    allow_rollup_hdrs: false,
  };
}

/**
 * `null`: this user may not look. `mayBeApart`: in another account, which has an API of its own, nobody
 * answers; and whoever listens to everything there keeps the broker from saying so at once.
 */
async function ensureStream(
  manager: JetStreamManager,
  config: Partial<StreamConfig> & { name: string },
  mayBeApart: boolean,
): Promise<StreamInfo | null> {
  try {
    return await manager.streams.info(config.name);
  } catch (error) {
    if (deniedBy(error) !== null || (mayBeApart && isUnanswered(error))) return null;
    if (isMissing(error)) return manager.streams.add(config);
    throw error;
  }
}

function isUnanswered(error: unknown): boolean {
  return isJetStreamOff(error) || error instanceof TimeoutError;
}

/** For the account of this login: nobody answers, or the server says so. */
export function isJetStreamOff(error: unknown): boolean {
  if (error instanceof NoRespondersError) return true;
  if (error instanceof JetStreamApiError && error.code === OFF_FOR_ACCOUNT) return true;
  return error instanceof Error && error.cause !== undefined && isJetStreamOff(error.cause);
}

/** Else a worker would offer a record that is too large, and keep a place for it, for as long as it lives. */
function checkSize({ config: { name, max_msg_size: bytes = -1 } }: StreamInfo): void {
  if (bytes <= 0 || bytes >= PAYLOAD_BYTES_MIN) return;
  const expected = `must be of a broker whose stream ${name} takes messages of 1 MiB`;
  const hint = `nats stream edit ${name} --max-msg-size=-1 changes it.`;
  const got = `max_msg_size ${bytes}`;
  throw new InvalidOptionsError({ field: 'options.servers', rule: 'size', expected, got, hint });
}

/**
 * A bucket that somebody else made would leave submitters to their looks every 5 s; one of an earlier version
 * lets a tenant clear the records of all. Who may not mend that leaves it to a worker.
 */
async function ensureRecordsAre(manager: JetStreamManager, { config }: StreamInfo): Promise<void> {
  if (config.republish?.dest === REPUBLISH.dest && !config.allow_rollup_hdrs) return;
  const mended = { ...config, republish: REPUBLISH, allow_rollup_hdrs: false };
  await manager.streams.update(config.name, mended).catch((error) => {
    if (deniedBy(error) === null) throw error;
  });
}

function isMissing(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.status === NOT_FOUND;
}

const NOT_FOUND = 404;
const OFF_FOR_ACCOUNT = 10_039;
