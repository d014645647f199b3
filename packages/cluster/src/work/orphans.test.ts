// A job whose submitter and worker both lose the broker, the submitter for a little longer.
import { expect, test } from 'vitest';
import { Submitter } from '../submit/submitter.js';
import { MemoryBroker } from '../testing/memory-broker.js';
import { randomFrom, SimClock } from '../testing/sim-clock.js';
import { decodeRecord } from '../wire/record.js';
import { WorkerSlots } from './worker-slots.js';

const GRACE_MS = 5000;
/** From the second on; the worker looks each 3 s. */
const AWAY_MS = 17_000;
const RUN_MS = 60_000;

test.each([
  ['is there again within its grace after the broker is', 23_000, 'done'],
  ['does not come back', 1e9, 'cancelled'],
])(
  'a submitter that did not answer once before the broker went, and %s: %s',
  async (_what, awayMs, expected) => {
    const clock = new SimClock();
    const broker = new MemoryBroker(clock, randomFrom(1));
    const [submitting, working] = [broker.node('s'), broker.node('w')];
    const limits = { windowOf: () => 4, queueLength: 10, queueLengthPerTenant: 10 };
    const submitter = new Submitter(broker.submitterLink(submitting), clock, { name: 's', ...limits });
    new WorkerSlots(broker.workerLink(working), clock, {
      ...{ name: 'w', slots: 1, extendMs: 3000 },
      execute: (_job, signal) =>
        new Promise((resolve) => {
          const end = () => resolve(new Uint8Array(0));
          clock.after(RUN_MS, end);
          signal.addEventListener('abort', end, { once: true });
        }),
    });
    const ticket = submitter.submit({
      ...{
        id: 'a',
        tenant: 't',
        priority: 0,
        maxAttempts: 9,
        deadlineMs: 3_600_000,
        orphanGraceMs: GRACE_MS,
      },
      ...{ bodyHash: 'h', trace: null, body: new Uint8Array(0) },
    });
    await clock.run(1000);
    broker.cut(submitting, awayMs);
    await clock.run(4000); // it has not answered once
    broker.cut(working, AWAY_MS);
    await clock.run(3 * RUN_MS, () => ticket.state === 'ended' || broker.records.size > 0);
    expect(decodeRecord(broker.records.get('t.a')!).kind).toBe(expected);
  },
);
