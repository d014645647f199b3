import type { Engine } from '@sbx/core';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { spareMemory } from './spare-memory.js';

const INTERVAL_MS = 1000;
const BUFFER_BYTES = 64 * 2 ** 20;

describe('spareMemory', () => {
  let startedTotal = 0;
  const trimMemory = vi.fn();
  const engine = { counters: () => ({ startedTotal }), trimMemory } as unknown as Engine;

  beforeEach(() => {
    vi.useFakeTimers();
    trimMemory.mockClear();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('collects and trims once when it is quiet, and again after the next requests', () => {
    spareMemory(engine, { intervalMs: INTERVAL_MS, growthBytes: Number.POSITIVE_INFINITY });
    const look = (times: number) => vi.advanceTimersByTime(times * INTERVAL_MS);
    look(5);
    expect(trimMemory, 'of the start').toHaveBeenCalledTimes(1);

    startedTotal += 1;
    allocate();
    const before = process.memoryUsage().external;
    look(1);
    expect(trimMemory, 'not quiet yet').toHaveBeenCalledTimes(1);
    look(5);
    expect(trimMemory).toHaveBeenCalledTimes(2);
    expect(before - process.memoryUsage().external).toBeGreaterThan(BUFFER_BYTES / 2);
  });

  it('an interval of 0 is never', () => {
    spareMemory(engine, { intervalMs: 0 });
    vi.advanceTimersByTime(60_000);
    expect(trimMemory).not.toHaveBeenCalled();
  });
});

/** In a function of its own, so that nothing holds it. */
function allocate(): void {
  Buffer.alloc(BUFFER_BYTES);
}
