/** Records in a bucket: the first write of a key holds, which the broker itself sees to. */
import { JetStreamApiError } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { headers } from '@nats-io/transport-node';
import type { RecordLink } from '../links.js';
import { recordSubject } from '../names.js';
import type { Broker } from './connection.js';

const WRONG_LAST_SEQUENCE = 10_071;
/** Refused where there is a message under the subject: the bucket's own `create` says the same. */
const FIRST = headers();
FIRST.set('Nats-Expected-Last-Subject-Sequence', '0');

export function recordLink({ asks, records }: Broker): RecordLink {
  return {
    async createRecord(key, record) {
      try {
        await asks.publish(recordSubject(key), record, FIRST);
        return true;
      } catch (error) {
        if (!isRefused(error)) throw error;
        return createAgain(records, key, record);
      }
    },
    async readRecord(key) {
      const entry = await records.get(key);
      return entry === null || entry.operation !== 'PUT' ? null : entry.value;
    },
  };
}

/** Slowly, with a look at what is there: a mark that an entry was deleted is no record. */
async function createAgain(records: KV, key: string, record: Uint8Array): Promise<boolean> {
  try {
    await records.create(key, record);
    return true;
  } catch (error) {
    if (isRefused(error)) return false;
    throw error;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;
}
