// Workers that can carry out no job, among others and alone.
import { describe, expect, test } from 'vitest';
import { Submitter } from '../submit/submitter.js';
import type { JobTicket } from '../submit/ticket.js';
import { MemoryBroker } from '../testing/memory-broker.js';
import { randomFrom, SimClock } from '../testing/sim-clock.js';
import { WorkerFault } from './worker-fault.js';
import { WorkerSlots } from './worker-slots.js';

const RUN_MS = 20;
const SLOTS = 4;

function openCluster() {
  const clock = new SimClock();
  const broker = new MemoryBroker(clock, randomFrom(1));
  const limits = { windowOf: () => 4 * SLOTS, queueLength: 1000, queueLengthPerTenant: 1000 };
  const submitter = new Submitter(broker.submitterLink(broker.node('s')), clock, { name: 's', ...limits });
  const ends = new Map<string, string>();
  /** `isBroken`: asked at each job. */
  const addWorker = (name: string, isBroken: () => boolean) => {
    let begun = 0;
    const slots = new WorkerSlots(broker.workerLink(broker.node(name)), clock, {
      ...{ name, slots: SLOTS, extendMs: 3000 },
      execute: () => {
        begun += 1;
        if (isBroken())
          return Promise.reject(new WorkerFault(Buffer.from(`fault of ${name}`), new Error('x')));
        return new Promise((resolve) => clock.after(RUN_MS, () => resolve(Buffer.from(name))));
      },
    });
    return { slots, begun: () => begun };
  };
  const submit = (id: string): JobTicket => {
    const ticket = submitter.submit({
      ...{ id, tenant: 't', priority: 0, maxAttempts: 3, deadlineMs: 3_600_000, orphanGraceMs: 0 },
      ...{ bodyHash: id, trace: null, body: new Uint8Array(0) },
    });
    const note = ({ attempt, outcome }: { attempt: number; outcome: Uint8Array }) =>
      void ends.set(id, `${Buffer.from(outcome)}, attempt ${attempt}`);
    ticket.record.then(note, (error) => void ends.set(id, String(error)));
    return ticket;
  };
  return { clock, ends, addWorker, submit };
}

describe('a worker that can carry out nothing, beside one that can', () => {
  test.each([
    ['a job now and then', 1000],
    ['many jobs', 5],
  ])('%s: each ends well, and few come to it', async (_what, eachMs) => {
    const { clock, ends, addWorker, submit } = openCluster();
    const [broken] = [addWorker('broken', () => true), addWorker('good', () => false)];
    const count = 300;
    for (let index = 0; index < count; index += 1)
      clock.after(index * eachMs, () => void submit(`j${index}`));
    await clock.run(count * eachMs + 60_000, () => ends.size === count);
    expect([...ends.values()].filter((end) => end.startsWith('good'))).toHaveLength(count);
    expect([broken.slots.isPaused, broken.slots.figures.handedBack]).toEqual([true, broken.begun()]);
    expect(broken.begun()).toBeLessThan(count / 4);
  });
});

describe('the only worker', () => {
  test('that can carry out nothing for a while does the job then', async () => {
    const { clock, ends, addWorker, submit } = openCluster();
    const { slots, begun } = addWorker('w', () => clock.now() < 1000);
    submit('a');
    await clock.run(10_000);
    expect([...ends]).toEqual([['a', 'w, attempt 3']]);
    expect([begun(), slots.isPaused, slots.figures.handedBack]).toEqual([3, false, 2]);
  });

  test('that never can says why, once no attempt is left', async () => {
    const { clock, ends, addWorker, submit } = openCluster();
    const { slots } = addWorker('w', () => true);
    submit('a');
    await clock.run(10_000);
    expect([...ends]).toEqual([['a', 'fault of w, attempt 3']]);
    expect(slots.totals).toMatchObject({ started: 3, accepted: 1, lost: 0 });
  });

  test('ends at once when it is drained meanwhile', async () => {
    const { clock, addWorker, submit } = openCluster();
    const { slots } = addWorker('w', () => true);
    submit('a');
    submit('b');
    await clock.run(1000);
    expect(slots.isPaused).toBe(true);
    let isDrained = false;
    void slots.drain().then(() => {
      isDrained = true;
    });
    await clock.run(1001);
    expect([isDrained, slots.isPaused]).toEqual([true, false]);
  });
});
