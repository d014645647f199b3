// The pool with a fake addon: who gets which sandbox, what is made when, what becomes of those who wait.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ClosedError, SandboxError } from '../errors.js';
import { fake, specOf, useFakeNative } from './fake-native.js';
import type { Slot } from './slot.js';

useFakeNative(vi);
const { SandboxPool } = await import('./sandbox-pool.js');

const A = specOf('a');
const B = specOf('b');
let keeperEnds: number[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  fake.forget();
  keeperEnds = [];
});
afterEach(() => void vi.useRealTimers());

function poolOf({ keep = 1, maxInUse = 8 } = {}) {
  return new SandboxPool({
    keep,
    maxInUse,
    uidBase: 0,
    spec: A,
    tree: null,
    clone: (_id, _uidBase, helperEnd) => void keeperEnds.push(helperEnd),
  });
}

/** The keepers that were cloned stand, and each has an order. */
function startKeepers(): void {
  for (const end of keeperEnds.splice(0))
    fake.channels.get(end - 1)!.receive({ kind: 'ready', fds: [], heldBytes: null });
}

/** An open pool with one ready sandbox. */
async function openPool(options?: { keep?: number; maxInUse?: number }) {
  const pool = poolOf(options);
  const opening = pool.open();
  startKeepers();
  fake.makeReady();
  await opening;
  return pool;
}

/** A request is over. */
function giveBack(pool: InstanceType<typeof SandboxPool>, slot: Slot): void {
  slot.attach(() => undefined);
  pool.detach(slot);
  pool.release(slot);
}

describe('a request', () => {
  it('gets a ready sandbox of its spec at once', async () => {
    const pool = await openPool();
    const slot = pool.acquire(A);
    expect(slot).toMatchObject({ state: 'leased', spec: A });
    expect([pool.inUse, pool.ready]).toEqual([1, 0]);
  });

  it('waits for one of another spec: the ready one is made anew', async () => {
    const pool = await openPool();
    const waiting = pool.acquire(B);
    expect(fake.orders.at(-1)!.spec.key).toBe('b');
    expect(fake.holds).toBe(1); // the process stays for it
    fake.makeReady();
    expect(await waiting).toMatchObject({ state: 'leased', spec: B });
    expect(fake.holds).toBe(0);
  });

  it('waits for a new slot when all are in use, and the first that becomes ready is for the first that waits', async () => {
    const pool = await openPool();
    void pool.acquire(A);
    const order: string[] = [];
    const waiting = ['first', 'second'].map(async (name) => {
      await pool.acquire(A);
      order.push(name);
    });
    startKeepers();
    fake.makeReady(fake.orders.length - 1);
    fake.makeReady(fake.orders.length - 2);
    await Promise.all(waiting);
    expect(order).toEqual(['first', 'second']);
    expect(pool.inUse).toBe(3);
  });

  it('is refused when too many are in use, and says when to come again', async () => {
    const pool = await openPool({ maxInUse: 1 });
    void pool.acquire(A);
    expect(() => pool.acquire(A)).toThrow(
      expect.objectContaining({ code: 'SBX_OVERLOADED', retryAfterMs: 100 }),
    );
  });

  it('does not get a sandbox that has died while it stood ready', async () => {
    const pool = await openPool();
    fake.channels.get(fake.orders[0]!.fd)!.receive({ kind: 'closed' });
    const waiting = pool.acquire(A);
    startKeepers();
    fake.makeReady();
    expect(await waiting).toMatchObject({ state: 'leased' });
  });

  it('gets another one when its own is lost, and is rejected after three', async () => {
    const pool = await openPool();
    void pool.acquire(A);
    const waiting = pool.acquire(A) as Promise<Slot>;
    const settled = expect(waiting).rejects.toMatchObject({ code: 'SBX_SANDBOX_LOST' });
    for (let losses = 0; losses < 3; losses += 1) {
      startKeepers();
      fake.channels.get(fake.orders.at(-1)!.fd)!.receive({ kind: 'closed' });
    }
    await settled;
    expect(pool.inUse).toBe(1);
  });

  it('is rejected at once when its sandbox cannot be made', async () => {
    const pool = await openPool();
    void pool.acquire(A);
    const waiting = pool.acquire(A) as Promise<Slot>;
    startKeepers();
    fake.channels.get(fake.orders.at(-1)!.fd)!.receive({
      kind: 'failed',
      programId: 0,
      stage: 'initClone',
      stageText: 'clone',
      index: 0,
      errno: 12,
    } as never);
    await expect(waiting).rejects.toBeInstanceOf(SandboxError);
    expect(pool.inUse).toBe(1);
  });
});

describe('a slot that is given back', () => {
  it('makes its next sandbox at once when none stands ready', async () => {
    const pool = await openPool();
    giveBack(pool, pool.acquire(A) as Slot);
    expect(fake.orders).toHaveLength(2);
  });

  it('waits with that while nothing runs and another stands ready', async () => {
    const pool = await openPool({ keep: 2 });
    startKeepers();
    fake.makeReady();
    expect(pool.ready).toBe(2);
    giveBack(pool, pool.acquire(A) as Slot);
    expect(fake.orders).toHaveLength(2);
    void pool.acquire(A);
    pool.prepareDeferred(); // as when the next program has been started
    expect(fake.orders).toHaveLength(3);
  });

  it('… and not for ever', async () => {
    const pool = await openPool({ keep: 2 });
    startKeepers();
    fake.makeReady();
    giveBack(pool, pool.acquire(A) as Slot);
    vi.advanceTimersByTime(20);
    expect(fake.orders).toHaveLength(3);
  });

  it('ends when there are more than are kept', async () => {
    const pool = await openPool();
    const first = pool.acquire(A) as Slot;
    const second = pool.acquire(A) as Promise<Slot>;
    startKeepers();
    fake.makeReady();
    giveBack(pool, await second);
    giveBack(pool, first);
    expect([first.state, (await second).state].sort()).toEqual(['ended', 'preparing']);
  });

  it('is not listened to while nobody waits', async () => {
    const pool = await openPool();
    giveBack(pool, pool.acquire(A) as Slot);
    const channel = fake.channels.get(fake.orders[1]!.fd)!;
    expect(channel.listens).toBe(false);
    fake.makeReady(1);
    expect(pool.ready).toBe(1); // looked when asked
    expect(channel.listens).toBe(true);
  });
});

describe('the pool', () => {
  it('keeps as many as are reserved besides, and lets them go', async () => {
    const pool = await openPool();
    pool.reserve(2);
    expect(keeperEnds).toHaveLength(2);
    pool.reserve(-2);
    pool.fill();
    expect(keeperEnds).toHaveLength(2);
  });

  it('closed, rejects those who wait, ends every slot, and takes nobody', async () => {
    const pool = await openPool();
    const slot = pool.acquire(A) as Slot;
    const waiting = pool.acquire(A) as Promise<Slot>;
    const reason = new ClosedError('The engine');
    const settled = expect(waiting).rejects.toBe(reason);
    await pool.close(reason);
    await settled;
    expect(slot.state).toBe('ended');
    expect(() => pool.acquire(A)).toThrow(reason);
    expect([...fake.channels.values()].every(({ closed }) => closed)).toBe(true);
  });
});
