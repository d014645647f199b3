import { describe, expect, it } from 'vitest';
import { AdmissionQueue } from './admission-queue.js';

const full = (retryAfterMs: number) => new Error(`full, again in ${retryAfterMs} ms`);
const queueOf = (places: number, queueLength: number) =>
  new AdmissionQueue({ places, queueLength }, { full });

describe('AdmissionQueue', () => {
  it('lets so many in at once, the rest in the order in which they came', async () => {
    const queue = queueOf(2, 3);
    expect([queue.acquire(), queue.acquire()]).toEqual([undefined, undefined]);
    const order: number[] = [];
    const waiting = [1, 2, 3].map((id) => queue.acquire()!.then(() => order.push(id)));
    expect([queue.running, queue.waiting]).toEqual([2, 3]);
    for (let i = 0; i < 3; i++) queue.release(1);
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    queue.release(1);
    queue.release(1);
    expect([queue.running, queue.waiting]).toEqual([0, 0]);
  });

  it('refuses what the queue cannot hold, says when to try again, and counts it', () => {
    const queue = queueOf(1, 0);
    void queue.acquire(); // takes the one place at once
    expect(() => queue.acquire()).toThrow('full, again in 50 ms');
    expect(queue.refused).toBe(1);
  });

  it('an abort takes the one who waits out, and gives the reason', async () => {
    const queue = queueOf(1, 2);
    void queue.acquire(); // takes the one place at once
    const controller = new AbortController();
    const aborted = queue.acquire(controller.signal)!;
    const next = queue.acquire()!;
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(aborted).rejects.toBe(reason);
    expect(queue.waiting).toBe(1);
    queue.release(1);
    await next;
  });

  it('closing rejects all who wait', async () => {
    const queue = queueOf(1, 2);
    void queue.acquire(); // takes the one place at once
    const waiting = Promise.allSettled([queue.acquire(), queue.acquire()]);
    queue.close('closed');
    expect((await waiting).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
  });
});
