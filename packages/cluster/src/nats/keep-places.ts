/**
 * A broker that lost its store comes back without queue and buckets. Whoever may makes them again: else the
 * whole cluster would wait, connected and ready, until somebody opens another engine or worker.
 */
import type { NatsConnection } from '@nats-io/transport-node';
import { systemClock } from '../clock.js';
import { Retries } from '../retries.js';
import { deniedBy } from './denials.js';

/** `make`: looks first whether they are there. Resolves when the connection is closed. */
export async function keepPlaces(
  connection: Pick<NatsConnection, 'status' | 'closed'>,
  make: () => Promise<unknown>,
): Promise<void> {
  const closed = new AbortController();
  void connection.closed().then(() => closed.abort());
  let reconnects = 0;
  const makeAgain = async () => {
    const reconnect = ++reconnects;
    const isWanted = () => reconnect === reconnects && !closed.signal.aborted;
    const retries = new Retries(systemClock, closed.signal);
    while (isWanted()) {
      try {
        await make();
        return;
      } catch (error) {
        if (deniedBy(error) !== null) return; // others may
        await retries.pause();
      }
    }
  };
  for await (const { type } of connection.status()) if (type === 'reconnect') void makeAgain();
}
