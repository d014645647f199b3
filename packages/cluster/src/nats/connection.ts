/** The connection to the broker. */
import {
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
} from '@nats-io/jetstream';
import { type KV, Kvm } from '@nats-io/kv';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { InvalidOptionsError } from '@sbx/core';
import { ClusterUnavailableError } from '../errors.js';
import { RECORD_BUCKET } from '../names.js';
import { Asks } from './asks.js';
import { Denials, deniedBy } from './denials.js';
import { passOverBrokenHeaders } from './header-lines.js';
import { ConnectionHealth, type Health } from './health.js';
import { keepPlaces } from './keep-places.js';
import { loginOf, withoutLogin } from './login.js';
import { ensurePlaces, isJetStreamOff, isQueueThere, PAYLOAD_BYTES_MIN } from './places.js';
import { closeUnanswered } from './transport.js';

/** How to reach the broker, and what to make there when it is missing. */
export interface BrokerOptions {
  /**
   * Addresses of NATS servers, `nats://host:4222` or `tls://…`; with several the connection moves on when one
   * is gone. The first that has a login, `nats://user:password@host` or `nats://token@host`, tells that of
   * all.
   */
  servers: string | readonly string[];
  /** A credentials file of NATS (`.creds`), read again at each login. Default: none. */
  credentials?: string | undefined;
  /**
   * TLS as of `tls.connect`: `{ caFile, certFile, keyFile }`. Default: what the server asks for, with the
   * system's authorities.
   */
  tls?: { caFile?: string; certFile?: string; keyFile?: string } | undefined;
  /**
   * What inboxes of this connection begin with, so that permissions can keep others from reading its answers:
   * parts of A-Z, a-z, 0-9, `_`, `-` with dots between them. Default `_INBOX`, which all share.
   */
  inboxPrefix?: string | undefined;
  /**
   * JetStream domain in which queue and buckets are, as where this connects to a leaf node with another one,
   * or to an account that reaches those of another under such a name. Default: none.
   */
  jetstreamDomain?: string | undefined;
  /** Copies of each stream that is made here, 1 to 5; an existing one stays as it is. Default 1. */
  replicas?: number | undefined;
  /**
   * How long a worker that gives no sign of life keeps a job, in ms. Of the consumer that is made here; that
   * of an existing one holds for all. Default 10 000.
   */
  leaseMs?: number | undefined;
  /**
   * How long results are kept, and an id is known, in ms; at least 10 000, since a submitter looks for what
   * it did not hear of every 5 s. Default 600 000.
   */
  recordMs?: number | undefined;
  /** How long files are kept after their last upload, in ms. Default 86 400 000. */
  fileMs?: number | undefined;
}

const CONNECT_MS = 5000;
const RECONNECT_MS = 250;
/** Where the login is refused, which only an operator can mend: each try is a line in the broker's log. */
const REFUSED_MS = 2000;
/** So that not all workers come at the same moment. */
const JITTER_MS = 100;

export interface Broker {
  connection: NatsConnection;
  client: JetStreamClient;
  /** As of the options. */
  inboxPrefix: string | undefined;
  /** For what each job sends. */
  asks: Asks;
  manager: JetStreamManager;
  records: KV;
  /** How long files are kept, whoever made their bucket; `Infinity`: for ever. */
  fileMs: number;
  /** Whether any server that has files may be asked for them. */
  filesAreDirect: boolean;
  /** Whether any server that has announcements may be asked for them. */
  workersAreDirect: boolean;
  /** Of the consumer, whoever made it. */
  leaseMs: number;
  /** Of the queue, on servers each, whoever made it. */
  copies: number;
  health: ConnectionHealth;
  denials: Denials;
}

/**
 * Throws `ClusterUnavailableError`, and `ClusterDeniedError` where a permission is missing. `placesOf`: makes
 * what is missing, or does not.
 */
export async function openBroker(
  options: BrokerOptions,
  name: string,
  placesOf: typeof ensurePlaces = ensurePlaces,
): Promise<Broker> {
  const health = new ConnectionHealth();
  const connection = await connectTo(options, name, health);
  void health.follow(connection);
  try {
    checkPayload(connection);
    const { jetstreamDomain: domain } = options;
    const client = jetstream(connection, {
      timeout: CONNECT_MS,
      ...(domain === undefined ? {} : { domain }),
    });
    const manager = await client.jetstreamManager(false);
    const { recordsAreDirect, ...places } = await placesOf(manager, options);
    // As they were: leases above all, by which workers extend.
    const again = { ...options, ...places };
    const makeAgain = async () => (await isQueueThere(manager)) || placesOf(manager, again);
    void keepPlaces(connection, makeAgain);
    const kvm = new Kvm(client);
    const records = await kvm.open(RECORD_BUCKET, { allow_direct: recordsAreDirect });
    const { inboxPrefix } = options;
    const asks = new Asks(connection, inboxPrefix);
    const denials = new Denials(connection);
    denials.onDenied((denied) => denied.operation === 'publish' && asks.refuse(denied.subject, denied));
    return { connection, client, manager, records, ...places, asks, denials, inboxPrefix, health };
  } catch (error) {
    await connection.close();
    throw unavailable(error);
  }
}

/** Else jobs and results that are too large would be sent again and again, for as long as they may take. */
function checkPayload({ info }: NatsConnection): void {
  const bytes = info?.max_payload ?? PAYLOAD_BYTES_MIN;
  if (bytes >= PAYLOAD_BYTES_MIN) return;
  const expected = 'must be of servers that take messages of 1 MiB';
  const hint = 'Set max_payload of the NATS servers to 1MB, which is their default, or to more.';
  const got = `max_payload ${bytes}`;
  throw new InvalidOptionsError({ field: 'options.servers', rule: 'size', expected, got, hint });
}

async function connectTo(options: BrokerOptions, name: string, health: Health): Promise<NatsConnection> {
  const { servers, credentials, inboxPrefix, tls } = options;
  const list = (typeof servers === 'string' ? servers.split(',') : [...servers]).map((each) => each.trim());
  const login = loginOf(list, credentials);
  const settings: NodeConnectionOptions = {
    servers: list.map(withoutLogin),
    name,
    timeout: CONNECT_MS,
    maxReconnectAttempts: -1,
    // Else the second login in a row that is refused closes the connection for good, also where the operator
    // is about to mend the broker's users.
    ignoreAuthErrorAbort: true,
    reconnectDelayHandler: () =>
      (health.refusal === null ? RECONNECT_MS : REFUSED_MS) + Math.random() * JITTER_MS,
    pingInterval: 10_000,
    noAsyncTraces: true, // else each request makes an error for its stack, which is 7 % of a submitter's time
    ...(login === null ? {} : { authenticator: login }),
    ...(inboxPrefix === undefined ? {} : { inboxPrefix }),
    ...(tls === undefined ? {} : { tls }),
  };
  closeUnanswered();
  passOverBrokenHeaders();
  try {
    return await connect(settings);
  } catch (error) {
    throw unavailable(error, list.map(withoutLogin).join(', '));
  }
}

/**
 * Options that are wrong stay what they are, and a permission that is missing is named. `where`: the
 * addresses, when no connection was made.
 */
export function unavailable(cause: unknown, where: string | null = null): Error {
  if (cause instanceof InvalidOptionsError) return cause;
  const denied = deniedBy(cause);
  if (denied !== null) return denied;
  if (isJetStreamOff(cause)) {
    const start = 'Start it with -js, or turn it on for the account of this login.';
    const name = 'To reach that of another account or server, name it: jetstreamDomain (--jetstream-domain).';
    return new ClusterUnavailableError(`Nothing was sent. ${start} ${name}`, cause, 'has JetStream off');
  }
  if (cause instanceof JetStreamApiError) {
    const look = 'Nothing was sent. See what streams it has: nats stream ls.';
    return new ClusterUnavailableError(look, cause, `refuses what is needed (${cause.message})`);
  }
  const found = where === null ? '' : `At ${where}: ${(cause as Error).message}. `;
  const check = 'Nothing was sent. Check the address, the credentials and that JetStream is on.';
  return new ClusterUnavailableError(`${found}${check}`, cause);
}
