import { getHeapSpaceStatistics } from 'node:v8';
import type { Engine } from '@sbx/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { spareMemory } from './spare-memory.js';

const INTERVAL_MS = 1000;
const MiB = 2 ** 20;
const tick = () => new Promise((resolve) => setImmediate(resolve));

describe('spareMemory', () => {
  let startedTotal = 0;
  const trimMemory = vi.fn();
  const engine = { counters: () => ({ startedTotal }), trimMemory } as unknown as Engine;

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    trimMemory.mockClear();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('collects and trims once when it is quiet, and again after the next requests', async () => {
    spareMemory(engine, { intervalMs: INTERVAL_MS, growthBytes: Number.POSITIVE_INFINITY });
    const look = (times: number) => vi.advanceTimersByTime(times * INTERVAL_MS);
    look(5);
    expect(trimMemory, 'of the start').toHaveBeenCalledTimes(1);

    startedTotal += 1;
    const garbage = new WeakRef({});
    await tick(); // a reference keeps what it refers to until then
    look(1);
    expect(trimMemory, 'not quiet yet').toHaveBeenCalledTimes(1);
    look(5);
    expect(trimMemory).toHaveBeenCalledTimes(2);
    expect(garbage.deref()).toBeUndefined();
  });

  it('a few that are still started put it off only for a while', () => {
    spareMemory(engine, { intervalMs: INTERVAL_MS, growthBytes: Number.POSITIVE_INFINITY });
    const look = (startedBefore: number) => {
      startedTotal += startedBefore;
      vi.advanceTimersByTime(INTERVAL_MS);
    };
    look(0);
    expect(trimMemory, 'of the start').toHaveBeenCalledTimes(1);
    for (let times = 0; times < 10; times += 1) look(5);
    expect(trimMemory, 'not worth while yet').toHaveBeenCalledTimes(1);
    look(500);
    expect(trimMemory, 'in the midst of many').toHaveBeenCalledTimes(1);
    look(5);
    expect(trimMemory).toHaveBeenCalledTimes(2);
    look(5);
    expect(trimMemory, 'once').toHaveBeenCalledTimes(2);
  });

  it('a request just after the start only puts off that the heap is compacted', () => {
    spareMemory(engine, { intervalMs: INTERVAL_MS, growthBytes: Number.POSITIVE_INFINITY });
    startedTotal += 1;
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(trimMemory, 'while somebody may wait').toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(trimMemory, 'and compacted').toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(5 * INTERVAL_MS);
    expect(trimMemory, 'once').toHaveBeenCalledTimes(2);
  });

  it('what never became a request is collected as well', async () => {
    const rss = vi.spyOn(process.memoryUsage, 'rss').mockReturnValue(50 * MiB);
    spareMemory(engine, { intervalMs: INTERVAL_MS, growthBytes: 2 * MiB });
    vi.advanceTimersByTime(INTERVAL_MS);
    trimMemory.mockClear();
    const garbage = new WeakRef({});
    rss.mockReturnValue(150 * MiB);
    await tick();
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(trimMemory).toHaveBeenCalledTimes(1);
    expect(garbage.deref()).toBeUndefined();
    vi.advanceTimersByTime(5 * INTERVAL_MS);
    expect(trimMemory, 'what is left is in use').toHaveBeenCalledTimes(1);
    rss.mockRestore();
  });

  it('pages of the heap that are half empty are put together', async () => {
    const heapMiB = () => {
      const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
      return space!.physical_space_size / MiB;
    };
    spareMemory(engine, { intervalMs: INTERVAL_MS, growthBytes: Number.POSITIVE_INFINITY });
    const all = Array.from({ length: 200_000 }, (_, value) => ({ value, more: [value, value, value] }));
    vi.advanceTimersByTime(INTERVAL_MS); // all of them are old then
    const kept = all.filter((_, index) => index % 2 === 0);
    all.length = 0;
    const full = heapMiB();
    await tick();
    startedTotal += 1;
    vi.advanceTimersByTime(2 * INTERVAL_MS);
    expect(kept).toHaveLength(100_000);
    expect(full - heapMiB()).toBeGreaterThan(5); // of the 20 that they took
  });

  it('an interval of 0 is never', () => {
    spareMemory(engine, { intervalMs: 0 });
    vi.advanceTimersByTime(60_000);
    expect(trimMemory).not.toHaveBeenCalled();
  });

  it('waits while there is no descriptor to read the memory by', () => {
    spareMemory(engine, { intervalMs: INTERVAL_MS, growthBytes: Number.POSITIVE_INFINITY });
    const rss = vi.spyOn(process.memoryUsage, 'rss').mockImplementation(() => {
      throw new Error('EMFILE: too many open files');
    });
    vi.advanceTimersByTime(5 * INTERVAL_MS);
    expect(trimMemory).not.toHaveBeenCalled();
    rss.mockRestore();
    vi.advanceTimersByTime(INTERVAL_MS);
    expect(trimMemory).toHaveBeenCalledTimes(1);
  });
});
