/**
 * The connection to the broker, and what lies there: made when it is missing, used as it is when an operator
 * has made it.
 */
import { readFile } from 'node:fs/promises';
import {
  AckPolicy,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { type ObjectStore, Objm } from '@nats-io/obj';
import {
  connect,
  credsAuthenticator,
  millis,
  type NatsConnection,
  type NodeConnectionOptions,
  nanos,
} from '@nats-io/transport-node';
import { InvalidOptionsError } from '@sbx/core';
import { ClusterUnavailableError } from '../errors.js';
import {
  FILE_BUCKET,
  JOB_STREAM,
  RECORD_BUCKET,
  recordSubject,
  subjects,
  WORKER_BUCKET,
  WORKERS,
} from '../names.js';
import { Asks } from './asks.js';
import { closeUnanswered } from './transport.js';

/** How to reach the broker, and what to make there when it is missing. */
export interface BrokerOptions {
  /**
   * Addresses of NATS servers, `nats://host:4222` or `tls://…`; with several the connection moves on when one
   * is gone.
   */
  servers: string | readonly string[];
  /** A credentials file of NATS (`.creds`). Default: none. */
  credentials?: string | undefined;
  /**
   * TLS as of `tls.connect`: `{ caFile, certFile, keyFile }`. Default: what the server asks for, with the
   * system's authorities.
   */
  tls?: { caFile?: string; certFile?: string; keyFile?: string } | undefined;
  /** Copies of each stream that is made here, 1 to 5; an existing one stays as it is. Default 1. */
  replicas?: number | undefined;
  /**
   * How long a worker that gives no sign of life keeps a job, in ms. Of the consumer that is made here; that
   * of an existing one holds for all. Default 10 000.
   */
  leaseMs?: number | undefined;
  /** How long results are kept, and an id is known, in ms. Default 600 000. */
  recordMs?: number | undefined;
  /** How long files are kept after their last upload, in ms. Default 86 400 000. */
  fileMs?: number | undefined;
}

const LEASE_MS = 10_000;
const RECORD_MS = 600_000;
const FILE_MS = 86_400_000;
/** Workers announce themselves three times in this time. */
export const PRESENCE_MS = 15_000;
const CONNECT_MS = 5000;
const RECONNECT_MS = 250;
/** Of the consumer: jobs that workers have, and pulls that wait. */
const PENDING_MAX = 65_536;
const PULLS_MAX = 65_536;

/** The broker sends each record to those that wait for it, in the moment in which it is stored. */
const REPUBLISH = { src: recordSubject('>'), dest: subjects.ended('>') };

export interface Broker {
  connection: NatsConnection;
  client: JetStreamClient;
  /** For what each job sends. */
  asks: Asks;
  manager: JetStreamManager;
  records: KV;
  workers: KV;
  files: ObjectStore;
  /** How long files are kept, whoever made their bucket; `Infinity`: for ever. */
  fileMs: number;
  /** Of the consumer, whoever made it. */
  leaseMs: number;
  health: Health;
}

/** Of the connection. */
export interface Health {
  isConnected: boolean;
  /** Times at which it was lost. */
  losses: number;
}

/** Throws `ClusterUnavailableError`. */
export async function openBroker(options: BrokerOptions, name: string): Promise<Broker> {
  const connection = await connectTo(options, name);
  try {
    const client = jetstream(connection, { timeout: CONNECT_MS });
    const manager = await jetstreamManager(connection, { timeout: CONNECT_MS });
    const { replicas = 1, recordMs = RECORD_MS, fileMs = FILE_MS } = options;
    const leaseMs = await ensureQueue(manager, options);
    const kvm = new Kvm(client);
    const records = await kvm.create(RECORD_BUCKET, {
      history: 1,
      ttl: recordMs,
      replicas,
      republish: REPUBLISH,
    });
    await ensureRepublish(manager);
    const workers = await kvm.create(WORKER_BUCKET, { history: 1, ttl: PRESENCE_MS, replicas });
    const files = await new Objm(client).create(FILE_BUCKET, { ttl: nanos(fileMs), replicas });
    const { ttl } = await files.status();
    return {
      ...{ connection, client, manager, records, workers, files, leaseMs },
      fileMs: ttl > 0 ? millis(ttl) : Number.POSITIVE_INFINITY,
      health: healthOf(connection),
      asks: new Asks(connection),
    };
  } catch (error) {
    await connection.close();
    throw unavailable(error);
  }
}

/** Kept up to date until the connection is closed. */
function healthOf(connection: NatsConnection): Health {
  const health: Health = { isConnected: true, losses: 0 };
  const follow = async () => {
    for await (const { type } of connection.status()) {
      if (type === 'disconnect') health.losses += 1;
      if (type === 'disconnect') health.isConnected = false;
      if (type === 'reconnect') health.isConnected = true;
    }
    health.isConnected = false;
  };
  void follow();
  return health;
}

async function connectTo(options: BrokerOptions, name: string): Promise<NatsConnection> {
  const { servers, credentials, tls } = options;
  const list = typeof servers === 'string' ? servers.split(',') : [...servers];
  const settings: NodeConnectionOptions = {
    servers: list.map((server) => server.trim()),
    name,
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    reconnectTimeWait: RECONNECT_MS,
    pingInterval: 10_000,
    noAsyncTraces: true, // else each request makes an error for its stack, which is 7 % of a submitter's time
    ...(credentials === undefined ? {} : { authenticator: await authenticatorOf(credentials) }),
    ...(tls === undefined ? {} : { tls }),
  };
  closeUnanswered();
  try {
    return await connect(settings);
  } catch (error) {
    throw unavailable(error);
  }
}

async function authenticatorOf(path: string) {
  try {
    return credsAuthenticator(await readFile(path));
  } catch (cause) {
    const expected = 'must be a readable credentials file of NATS';
    const hint = (cause as Error).message;
    throw new InvalidOptionsError({ field: 'options.credentials', rule: 'format', expected, hint });
  }
}

/** Options that are wrong stay what they are. */
export function unavailable(cause: unknown): Error {
  if (cause instanceof InvalidOptionsError) return cause;
  return new ClusterUnavailableError(
    'Nothing was sent. Check the address, the credentials and that JetStream is on.',
    cause,
  );
}

/** Returns how long a lease is, in ms. */
async function ensureQueue(manager: JetStreamManager, options: BrokerOptions): Promise<number> {
  const { replicas = 1, recordMs = RECORD_MS, leaseMs = LEASE_MS } = options;
  try {
    await manager.streams.info(JOB_STREAM);
  } catch {
    await manager.streams.add({
      name: JOB_STREAM,
      subjects: [subjects.jobs('*')],
      retention: RetentionPolicy.Workqueue,
      storage: StorageType.File,
      num_replicas: replicas,
      duplicate_window: nanos(recordMs),
    });
  }
  const add = () =>
    manager.consumers.add(JOB_STREAM, {
      durable_name: WORKERS,
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(leaseMs),
      max_ack_pending: PENDING_MAX,
      max_waiting: PULLS_MAX,
    });
  const { config } = await manager.consumers.info(JOB_STREAM, WORKERS).catch(add);
  return millis(config.ack_wait ?? nanos(leaseMs));
}

/** A bucket that somebody else made would leave submitters to their looks every 5 s. */
async function ensureRepublish(manager: JetStreamManager): Promise<void> {
  const { config } = await manager.streams.info(`KV_${RECORD_BUCKET}`);
  if (config.republish?.dest === REPUBLISH.dest) return;
  await manager.streams.update(config.name, { ...config, republish: REPUBLISH });
}
