import { describe, expect, test } from 'vitest';
import { ClusterDeniedError } from '../errors.js';
import type { SubmitterLink } from '../links.js';
import { SimClock } from '../testing/sim-clock.js';
import { decodeRecord } from '../wire/record.js';
import { Cancels } from './cancels.js';

const JOB = { tenant: 't', id: 'a', bodyHash: 'h' };
const KEY = 't.a';
/** How many are remembered. */
const BOUND = 16_384;

/** What is asked of the broker, in order. `failures`: of the next calls that write a record. */
function open({ failures = [], canRemove = true }: { failures?: Error[]; canRemove?: boolean } = {}) {
  const clock = new SimClock();
  const said: string[] = [];
  const link = {
    cancel: (tenant, { id, mode }) => void said.push(`tell ${tenant}.${id} ${mode}`),
    createRecord: async (key, bytes) => {
      const failure = failures.shift();
      if (failure !== undefined) {
        said.push(`failed at ${clock.now()}`);
        throw failure;
      }
      const { kind, bodyHash, worker } = decodeRecord(bytes);
      said.push(`write ${key} ${kind} ${bodyHash} ${worker}`);
      return true;
    },
    remove: async (sequence) => {
      said.push(`remove ${sequence}`);
      if (!canRemove) throw new Error('not allowed');
    },
  } satisfies Partial<SubmitterLink>;
  return { cancels: new Cancels(link as unknown as SubmitterLink, clock, 's'), clock, said };
}

const TELL = 'tell t.a drop';
const WRITE = 'write t.a cancelled h s';

describe('a cancel', () => {
  test('is told, written, taken out of the queue, and told to who got it meanwhile', async () => {
    const { cancels, said } = open();
    await cancels.cancel(JOB, 7);
    expect(said).toEqual([TELL, WRITE, 'remove 7', TELL]);
    await cancels.onBegun(KEY); // by a worker that had it, and finds the record
    expect(said).toHaveLength(4);
  });

  test('of a job whose place in the queue is not known is as durable', async () => {
    const { cancels, said } = open();
    await cancels.cancel(JOB, null);
    expect(said).toEqual([TELL, WRITE, TELL]);
  });

  test('is tried until the broker is there, after pauses', async () => {
    const away = () => new Error('away');
    const { cancels, clock, said } = open({ failures: [away(), away()] });
    const done = cancels.cancel(JOB, null);
    await clock.run(10_000);
    await done;
    expect(said).toEqual([TELL, 'failed at 0', 'failed at 100', WRITE, TELL]);
  });

  test('that is denied is not tried again, and one that is left at the end is tried once', async () => {
    const denied = open({ failures: [new ClusterDeniedError('publish', 'x')] });
    await denied.cancels.cancel(JOB, null);
    expect(denied.said).toEqual([TELL, 'failed at 0', TELL]);
    const closed = open({ failures: [new Error('away'), new Error('away')] });
    closed.cancels.close();
    const done = closed.cancels.cancel(JOB, null);
    await closed.clock.run(10_000);
    await done;
    expect(closed.said).toEqual([TELL, 'failed at 0', TELL]);
  });
});

describe('a worker begins a job that was cancelled', () => {
  test('and could not be taken out: it gets a record to find, one at a time', async () => {
    const { cancels, said } = open({ canRemove: false });
    await cancels.cancel(JOB, 7);
    said.length = 0;
    await Promise.all([cancels.onBegun(KEY), cancels.onBegun(KEY)]);
    expect(said).toEqual([WRITE, TELL]);
    await cancels.onBegun(KEY); // the record may have expired
    expect(said).toEqual([WRITE, TELL, WRITE, TELL]);
  });

  test('and is wanted again: it goes on', async () => {
    const { cancels, said } = open();
    await cancels.cancel(JOB, null);
    cancels.forget(KEY);
    said.length = 0;
    await cancels.onBegun(KEY);
    expect(said).toEqual([]);
  });

  test('is known for the latest of them', async () => {
    const { cancels, said } = open();
    for (let number = 0; number < BOUND; number += 1) await cancels.cancel({ ...JOB, id: `${number}` }, null);
    await cancels.cancel({ ...JOB, id: '0' }, null);
    await cancels.cancel(JOB, null);
    said.length = 0;
    for (const id of ['0', '1', '2', 'a']) await cancels.onBegun(`t.${id}`);
    expect(said.filter((what) => what.startsWith('tell'))).toEqual(
      ['0', '2', 'a'].map((id) => `tell t.${id} drop`),
    );
  });
});
