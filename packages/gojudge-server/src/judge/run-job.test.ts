import { describe, expect, it } from 'vitest';
import type { RunFailure } from '../errors.js';
import { type Permit, Workers } from './run-job.js';

const { signal } = new AbortController();
const failure = (message: string) => expect.objectContaining({ message }) as RunFailure;

describe('Workers', () => {
  it('gives each request the CPUs of a free worker, and those of the one before to the next', async () => {
    const workers = new Workers(9, ['0', '1'], 1);
    const [one, two] = [workers.enter(signal) as Permit, workers.enter(signal) as Permit];
    expect([one.cpuSet, two.cpuSet].sort()).toEqual(['0', '1']);
    const third = workers.enter(signal) as Promise<Permit>;
    one.release();
    one.release(); // once more changes nothing
    expect((await third).cpuSet).toBe(one.cpuSet);
    expect([workers.running, workers.waiting]).toEqual([2, 0]);
  });

  it('gives none where the server was given no list', () => {
    expect((new Workers(1, [], 0).enter(signal) as Permit).cpuSet).toBe(null);
  });

  it('refuses what the queue cannot hold, and says when to come again', () => {
    const workers = new Workers(1, [], 0);
    void workers.enter(signal);
    expect(() => workers.enter(signal)).toThrow(
      expect.objectContaining({ message: 'worker queue is full', retryAfterMs: 50 }),
    );
  });

  it('lets one go that is cancelled, before it waits and while it waits', async () => {
    const workers = new Workers(1, [], 2);
    void workers.enter(signal);
    const controller = new AbortController();
    const waiting = workers.enter(controller.signal) as Promise<Permit>;
    controller.abort();
    await expect(waiting).rejects.toEqual(failure('request cancelled before execute'));
    expect(() => workers.enter(controller.signal)).toThrow(failure('request cancelled before execute'));
    expect(workers.waiting).toBe(0);
  });

  it('sends everyone away when it closes', async () => {
    const workers = new Workers(1, [], 2);
    void workers.enter(signal);
    const waiting = workers.enter(signal) as Promise<Permit>;
    workers.close();
    await expect(waiting).rejects.toEqual(failure('worker is shutting down'));
    expect(() => workers.enter(signal)).toThrow(failure('worker is shutting down'));
  });
});
