import { expect, test } from 'vitest';
import { systemClock } from '../clock.js';
import type { Delivery, QueuedJob, WorkerLink } from '../links.js';
import { WorkerSlots, type WorkerSlotsOptions } from './worker-slots.js';

const NONE = new Uint8Array(0);

/** A worker of two places, whose jobs are over at once and whose records are written when a test says so. */
function openSlots(
  changed: Partial<WorkerSlotsOptions & Pick<WorkerLink, 'readRecord' | 'createRecord'>> = {},
) {
  const pulls: ((delivery: Delivery | null) => void)[] = [];
  const writes: (() => void)[] = [];
  const done: string[] = [];
  const link: WorkerLink = {
    next: (signal) =>
      new Promise((resolve) => {
        pulls.push(resolve);
        signal.addEventListener('abort', () => resolve(null));
      }),
    notify: () => undefined,
    onCancel: () => undefined,
    isHeard: async () => true,
    readRecord: changed.readRecord ?? (async () => null),
    createRecord: changed.createRecord ?? (() => new Promise((taken) => writes.push(() => taken(true)))),
  };
  const options = { name: 'w', slots: 2, extendMs: 60_000, execute: async () => NONE, ...changed };
  const slots = new WorkerSlots(link, systemClock, options);
  const give = async (id: string) => {
    const job: QueuedJob = {
      ...{ id, tenant: 't', maxAttempts: 1, submitter: 's', orphanGraceMs: 0, trace: null },
      ...{ bodyHash: '', body: NONE },
    };
    const unused = { extend: () => undefined, handBack: () => undefined };
    pulls.shift()!({ job, attempt: 1, queuedMs: 0, ...unused, done: () => done.push(id) });
    await settled();
  };
  return { slots, pulls, writes, done, give };
}

/** All promises have been followed. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('the next job comes while the record of the one before it is on its way', async () => {
  const { slots, pulls, writes, done, give } = openSlots();
  expect(pulls).toHaveLength(2);
  await give('a');
  expect(pulls).toHaveLength(2);
  expect(slots.running).toBe(0);
  expect(done).toEqual([]); // it is handed out again if this worker dies now
  writes.shift()!();
  await settled();
  expect(done).toEqual(['a']);
});

test('places wait when as many records are on their way, and the end waits for all', async () => {
  const { slots, pulls, writes, done, give } = openSlots();
  await give('a');
  await give('b');
  await give('c'); // its place was asked for before the second record was on its way
  expect(writes).toHaveLength(3);
  expect(pulls).toHaveLength(0);
  let isDrained = false;
  const drained = slots.drain().then(() => {
    isDrained = true;
  });
  for (const write of writes.splice(0)) {
    await settled();
    expect(isDrained).toBe(false);
    write();
  }
  await drained;
  expect(done).toEqual(['a', 'b', 'c']);
});

test('a look for the record of a job that is over ends no later job', async () => {
  const looks: (() => void)[] = [];
  const programs: { signal: AbortSignal; end(): void }[] = [];
  const { slots, writes, give } = openSlots({
    extendMs: 1,
    readRecord: () => new Promise((resolve) => looks.push(() => resolve(NONE))),
    execute: (_delivery, signal) =>
      new Promise((resolve) => programs.push({ signal, end: () => resolve(NONE) })),
  });
  await give('a');
  while (looks.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  programs[0]!.end();
  await settled();
  writes.shift()!();
  await settled();
  const looksForA = looks.splice(0);
  await give('b');
  for (const answer of looksForA) answer();
  await settled();
  expect(programs).toHaveLength(2);
  expect(programs[1]!.signal.aborted).toBe(false);
  slots.stop();
  expect(programs[1]!.signal.aborted).toBe(true);
  // What runs keeps its lease, also while tests of other files run.
  programs[1]!.end();
  await settled();
  for (const answer of looks.splice(0)) answer();
  await slots.drain();
});

test('a record that the broker does not take is given up when the worker is stopped, not before', async () => {
  let tries = 0;
  const { slots, done, give } = openSlots({
    createRecord: async () => {
      tries += 1;
      throw new Error('the broker is away');
    },
  });
  await give('a');
  let isDrained = false;
  const drained = slots.drain().then(() => {
    isDrained = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 400)); // tries come after 0, 100 and 300 ms
  expect([tries > 1, isDrained]).toEqual([true, false]);
  slots.stop();
  await drained;
  expect(done).toEqual([]); // its lease ends, and another worker does it
  expect(slots.totals).toMatchObject({ started: 1, accepted: 0, superseded: 0 });
});
