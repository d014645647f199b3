import { describe, expect, test } from 'vitest';
import { FairQueue } from './fair-queue.js';

interface Job {
  tenant: string;
  priority: number;
  number: number;
}

function filled(counts: Record<string, number>, weights: Record<string, number> = {}): FairQueue<Job> {
  const queue = new FairQueue<Job>((tenant) => weights[tenant] ?? 1);
  for (const [tenant, count] of Object.entries(counts)) {
    for (let number = 0; number < count; number += 1) queue.push({ tenant, priority: 0, number });
  }
  return queue;
}

function drain(queue: FairQueue<Job>, count = Number.POSITIVE_INFINITY): Job[] {
  const taken: Job[] = [];
  for (let job = queue.shift(); job !== null; job = queue.shift()) {
    taken.push(job);
    if (taken.length >= count) break;
  }
  return taken;
}

describe('FairQueue', () => {
  test('ten jobs of B are through after twenty turns, although A queued ten thousand before', () => {
    const order = drain(filled({ A: 10_000, B: 10 }));
    expect(order).toHaveLength(10_010);
    expect(order.findLastIndex(({ tenant }) => tenant === 'B')).toBeLessThan(21);
  });

  test('a job that comes late waits for one round, not for the queue', () => {
    const queue = filled({ A: 10_000 });
    drain(queue, 100);
    queue.push({ tenant: 'B', priority: 0, number: 0 });
    expect(drain(queue, 3).map(({ tenant }) => tenant)).toContain('B');
  });

  test.each([
    { weights: { A: 3, B: 1 }, share: 0.75 },
    { weights: { A: 1, B: 4 }, share: 0.2 },
    { weights: { A: 0.5, B: 1 }, share: 1 / 3 },
  ])('shares follow weights: $weights', ({ weights, share }) => {
    const order = drain(filled({ A: 1000, B: 1000 }, weights), 600);
    const got = order.filter(({ tenant }) => tenant === 'A').length / 600;
    expect(Math.abs(got - share)).toBeLessThan(0.02);
  });

  test('turns go round in the order in which tenants came, also when one leaves', () => {
    const order = drain(filled({ A: 1, B: 2, C: 3 })).map(({ tenant }) => tenant);
    expect(order.join('')).toBe('ABCBCC');
  });

  test('within a tenant the highest priority goes first, equal ones in order', () => {
    const queue = new FairQueue<Job>();
    for (const [number, priority] of [0, 5, -1, 5, 0].entries())
      queue.push({ tenant: 'A', priority, number });
    expect(drain(queue).map(({ number }) => number)).toEqual([1, 3, 0, 4, 2]);
  });

  test('a tenant that had nothing for long has not saved turns up', () => {
    const queue = filled({ A: 10 });
    drain(queue);
    for (let number = 0; number < 50; number += 1) queue.push({ tenant: 'B', priority: 0, number });
    for (let number = 0; number < 50; number += 1) queue.push({ tenant: 'A', priority: 0, number });
    const first = drain(queue, 20).filter(({ tenant }) => tenant === 'A').length;
    expect(Math.abs(first - 10)).toBeLessThanOrEqual(1);
  });

  test('counts, and removes out of turn', () => {
    const queue = new FairQueue<Job>();
    const jobs = [0, 1, 2].map((number) => ({ tenant: 'A', priority: number % 2, number }));
    for (const job of jobs) queue.push(job);
    expect(queue.remove(jobs[1]!)).toBe(true);
    expect(queue.remove(jobs[1]!)).toBe(false);
    expect([queue.size, queue.sizeOf('A'), queue.sizes()]).toEqual([2, 2, { A: 2 }]);
    expect(drain(queue).map(({ number }) => number)).toEqual([0, 2]);
    expect([queue.shift(), queue.size]).toEqual([null, 0]);
    for (const job of jobs) queue.push(job);
    expect([queue.remove(jobs[2]!), queue.remove({ ...jobs[0]! }), queue.size]).toEqual([true, false, 2]);
    expect(drain(queue).map(({ number }) => number)).toEqual([1, 0]);
  });

  test('every job comes out once, whatever went in', () => {
    const queue = filled({ A: 500, B: 3, C: 77 }, { A: 0.25, C: 7 });
    const seen = new Set(drain(queue).map(({ tenant, number }) => `${tenant}${number}`));
    expect(seen.size).toBe(580);
  });
});
