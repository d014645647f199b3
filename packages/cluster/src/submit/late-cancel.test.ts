// A cancelled job that stays in the queue, where its submitter may not take it out, for longer than its
// record is kept.
import { expect, test } from 'vitest';
import { MemoryBroker } from '../testing/memory-broker.js';
import { randomFrom, SimClock } from '../testing/sim-clock.js';
import { decodeRecord } from '../wire/record.js';
import { WorkerSlots } from '../work/worker-slots.js';
import { Submitter } from './submitter.js';

const RECORD_MS = 60_000;
const RUN_MS = 20_000;

test.each([1, 2, 3, 4, 5])(
  'the first worker that comes ends it soon, and the cluster is free (seed %i)',
  async (seed) => {
    const clock = new SimClock();
    const broker = new MemoryBroker(clock, randomFrom(seed));
    broker.recordMs = RECORD_MS;
    broker.isRemovalAllowed = false;
    broker.faults = { drop: 0, delayMs: 100 };
    const limits = { windowOf: () => 4, queueLength: 10, queueLengthPerTenant: 10 };
    const submitter = new Submitter(broker.submitterLink(broker.node('s')), clock, { name: 's', ...limits });
    const ticket = submitter.submit({
      ...{ id: 'a', tenant: 't', priority: 0, maxAttempts: 3, deadlineMs: 3_600_000, orphanGraceMs: 5000 },
      ...{ bodyHash: 'h', trace: null, body: new Uint8Array(0) },
    });
    await clock.run(1000);
    void submitter.cancel(ticket, new Error('enough'));
    await clock.run(2 * RECORD_MS);
    expect([broker.size, broker.records.size]).toEqual([1, 0]);
    const runs: number[] = [];
    new WorkerSlots(broker.workerLink(broker.node('w')), clock, {
      ...{ name: 'w', slots: 1, extendMs: 3000 },
      execute(_job, signal) {
        const from = clock.now();
        return new Promise((resolve) => {
          const end = () => {
            runs.push(clock.now() - from);
            resolve(new Uint8Array(0));
          };
          clock.after(RUN_MS, end);
          signal.addEventListener('abort', end, { once: true });
        });
      },
    });
    await clock.run(2 * RECORD_MS + 2 * RUN_MS, () => broker.size === 0);
    expect(runs).toHaveLength(1);
    expect(runs[0]).toBeLessThan(1000);
    expect(decodeRecord(broker.records.get('t.a')!).kind).toBe('cancelled');
  },
);
