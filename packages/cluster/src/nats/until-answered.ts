/** What is asked of a broker that may be away: again and again, as jobs wait for it too. */
import { JetStreamApiError } from '@nats-io/jetstream';
import {
  ClosedConnectionError,
  DrainingConnectionError,
  type NatsConnection,
  NoRespondersError,
} from '@nats-io/transport-node';
import { systemClock } from '../clock.js';
import type { IsOver } from '../contents/store.js';
import { ClusterUnavailableError } from '../errors.js';
import { Retries } from '../retries.js';
import { deniedBy } from './denials.js';

/** How long a broker that is there may have nobody for a stream: others are elected in 4 to 9 s. */
const NOBODY_MS = 30_000;
const UNAVAILABLE = 503;

/** Throws `ClusterDeniedError`, what the broker refuses, and `ClusterUnavailableError` when it is over. */
export async function untilAnswered<Value>(
  connection: NatsConnection,
  isOver: IsOver,
  ask: () => Promise<Value>,
): Promise<Value> {
  let nobodySince: number | null = null;
  const retries = new Retries(systemClock);
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const denied = deniedBy(error);
      if (denied !== null) throw denied;
      if (error instanceof JetStreamApiError && error.status !== UNAVAILABLE) throw error;
      const now = performance.now();
      nobodySince = hasCause(error, NoRespondersError) ? (nobodySince ?? now) : null;
      const isMissing = nobodySince !== null && now - nobodySince > NOBODY_MS;
      if (isMissing || isOver() || isEnded(connection, error)) {
        throw new ClusterUnavailableError('A file of the job is not at the other end.', error);
      }
      await retries.pause();
    }
  }
}

function isEnded(connection: NatsConnection, error: unknown): boolean {
  if (connection.isClosed() || connection.isDraining()) return true;
  return hasCause(error, ClosedConnectionError) || hasCause(error, DrainingConnectionError);
}

function hasCause(error: unknown, type: typeof NoRespondersError | typeof ClosedConnectionError): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof type || hasCause(error.cause, type);
}
