/** Records in a bucket: the first write of a key holds, which the broker itself sees to. */
import { JetStreamApiError } from '@nats-io/jetstream';
import type { RecordLink } from '../links.js';
import type { Broker } from './connection.js';

const WRONG_LAST_SEQUENCE = 10_071;

export function recordLink({ records }: Broker): RecordLink {
  return {
    async createRecord(key, record) {
      try {
        await records.create(key, record);
        return true;
      } catch (error) {
        if (error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE) return false;
        throw error;
      }
    },
    async readRecord(key) {
      const entry = await records.get(key);
      return entry === null || entry.operation !== 'PUT' ? null : entry.value;
    },
  };
}
