/** Records in a bucket: the first write of a key holds, which the broker itself sees to. */
import { JetStreamApiError } from '@nats-io/jetstream';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
import type { RecordLink } from '../links.js';
import { recordSubject } from '../names.js';
import type { Broker } from './connection.js';

const WRONG_LAST_SEQUENCE = 10_071;
/** Refused where there is a message under the subject: the bucket's own `create` says the same. */
const FIRST = after(0);

export function recordLink({ asks, records }: Pick<Broker, 'asks' | 'records'>): RecordLink {
  const offer = async (key: string, record: Uint8Array, expected: MsgHdrs) => {
    try {
      await asks.publish(recordSubject(key), record, expected);
      return true;
    } catch (error) {
      if (isRefused(error)) return false;
      throw error;
    }
  };
  return {
    async createRecord(key, record) {
      if (await offer(key, record, FIRST)) return true;
      // Slowly, with a look at what is there: a mark that an entry was deleted is no record.
      const entry = await records.get(key);
      return entry !== null && entry.operation !== 'PUT' && offer(key, record, after(entry.revision));
    },
    async readRecord(key) {
      const entry = await records.get(key);
      return entry === null || entry.operation !== 'PUT' ? null : entry.value;
    },
  };
}

function isRefused(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;
}

/** Refused where that is not the sequence of the last message under the subject. */
function after(sequence: number): MsgHdrs {
  const expected = headers();
  expected.set('Nats-Expected-Last-Subject-Sequence', `${sequence}`);
  return expected;
}
