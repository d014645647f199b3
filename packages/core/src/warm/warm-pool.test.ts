import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { LaunchSpec } from './launch-spec.js';
import { WarmPool } from './warm-pool.js';
import type { WarmProcess } from './warm-process.js';

const MiB = 2 ** 20;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const specOf = (key: string) => ({ key, limits: {} }) as LaunchSpec;

/** A process that came to its entry file, unless said otherwise. */
function processOf(key: string, more: { isWarm?: boolean; memoryBytes?: number; fits?: boolean } = {}) {
  const { isWarm = true, memoryBytes = 0, fits = true } = more;
  return { launchSpec: specOf(key), isWarm, memoryBytes, fits: () => fits } as unknown as WarmProcess;
}

function poolOf(...processes: WarmProcess[]): WarmPool {
  const pool = new WarmPool(processes.length, specOf('a'), {});
  for (const process of processes) pool.members.add(process);
  return pool;
}

describe('a request acquires', () => {
  it('a process of its own launch spec, once', () => {
    const mine = processOf('b');
    const pool = poolOf(processOf('a'), mine);
    expect(pool.acquire(specOf('b'))).toBe(mine);
    expect(pool.acquire(specOf('b'))).toBeNull();
    expect(pool.members.size).toBe(1);
  });

  it('none that is still starting, or used more on its way than the request allows', () => {
    const pool = poolOf(processOf('a', { isWarm: false }), processOf('a', { fits: false }));
    expect(pool.acquire(specOf('a'))).toBeNull();
    expect(pool.members.size).toBe(2);
  });
});

describe('a place is given up', () => {
  const ask = (pool: WarmPool, key: string) => {
    for (let asked = 0; asked < 8; asked += 1) pool.noteAsked(specOf(key));
  };

  it('for what is asked for, in a full pool', () => {
    const old = processOf('a');
    const pool = poolOf(old);
    expect(pool.weakest()).toBeNull();
    ask(pool, 'b');
    expect(pool.weakest()).toBe(old);
    expect(pool.nextLaunchSpec().key).toBe('b');
    pool.count = 2;
    expect(pool.weakest()).toBeNull();
  });

  it('not by a process that is still starting', () => {
    const pool = poolOf(processOf('a', { isWarm: false }));
    ask(pool, 'b');
    expect(pool.weakest()).toBeNull();
  });
});

describe('memory', () => {
  it('is assumed until one was measured', () => {
    const pool = poolOf(processOf('a'), processOf('a', { memoryBytes: 10 * MiB }));
    expect([pool.heldBytes, pool.estimateBytes]).toEqual([74 * MiB, 64 * MiB]);
    pool.noteReady(processOf('a', { memoryBytes: 10 * MiB }));
    expect([pool.heldBytes, pool.estimateBytes]).toEqual([20 * MiB, 10 * MiB]);
    pool.noteReady(processOf('a')); // no counters: nothing learnt
    expect(pool.estimateBytes).toBe(10 * MiB);
  });
});

describe('after a loss', () => {
  /** Time until the next try, in seconds. */
  const lose = (pool: WarmPool) => {
    pool.noteLost(processOf('a'), 'gone');
    return Math.round(pool.retryInMs / 1000);
  };

  it('the next start waits twice as long each time, up to half a minute; a success begins anew', () => {
    const pool = poolOf();
    const waits = Array.from({ length: 7 }, () => {
      const wait = lose(pool);
      vi.advanceTimersByTime(wait * 1000);
      return wait;
    });
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
    expect(pool.retryInMs).toBe(0);
    pool.noteReady(processOf('a'));
    expect(lose(pool)).toBe(1);
  });

  it('several that went by one cause count once', () => {
    const pool = poolOf();
    expect([lose(pool), lose(pool), lose(pool)]).toEqual([1, 1, 1]);
    vi.advanceTimersByTime(1000);
    expect(lose(pool)).toBe(2);
    expect(pool.counters()).toMatchObject({ lost: 4, reason: 'gone' });
    pool.noteReady(processOf('a'));
    expect(pool.reason).toBeNull();
  });
});

it('counts what waits, what is starting and what both hold', () => {
  const pool = poolOf(processOf('a', { memoryBytes: 5 }), processOf('a', { isWarm: false }));
  expect(pool.counters()).toEqual({
    ...{ waiting: 1, starting: 1, warm: 0, cold: 0, lost: 0, started: 0 },
    ...{ memoryBytes: 5, reason: null },
  });
});
