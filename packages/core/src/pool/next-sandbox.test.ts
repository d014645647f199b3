// A sandbox that no lease has yet: who is told what, and what becomes of its descriptors.
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { HelperMessage } from '../native/native.js';
import { fake, useFakeNative } from './fake-native.js';

vi.resetModules();
useFakeNative(vi);
const { NextSandbox } = await import('./next-sandbox.js');
afterAll(() => void vi.resetModules());

const READY: HelperMessage = { kind: 'ready', fds: [7, 8], heldBytes: 4096 };
const onReady = vi.fn();
const onLost = vi.fn();

function make(quiet = false) {
  const next = new NextSandbox(50, quiet, onReady, onLost);
  return { next, channel: fake.channels.get(50)! };
}

beforeEach(() => {
  fake.forget();
  vi.clearAllMocks();
});

describe('a sandbox that is being made', () => {
  it('is ready with its descriptors and the memory that its group has', () => {
    const { next, channel } = make();
    expect(next.isReady).toBe(false);
    channel.receive(READY);
    expect(next.isReady).toBe(true);
    expect(onReady.mock.calls).toEqual([[4096]]);
  });

  it('is polled for where nobody listens, and listened to once it is ready', () => {
    const { next, channel } = make(true);
    next.pollReady();
    expect([channel.listens, next.isReady]).toEqual([false, false]);
    channel.receive(READY);
    expect(next.isReady).toBe(false);
    next.pollReady();
    expect([channel.listens, next.isReady]).toEqual([true, true]);
  });

  it('that fails or dies is lost, with the step at which it failed', () => {
    const failed = { kind: 'failed', stage: 'proc', stageText: 'mount /proc', index: 0, errno: 5 } as never;
    make().channel.receive(failed);
    expect(onLost.mock.lastCall![0]).toMatchObject({ code: 'SBX_SANDBOX_SETUP', stage: 'proc' });
    make().channel.receive({ kind: 'closed' });
    expect(onLost.mock.lastCall![0]).toMatchObject({ code: 'SBX_SANDBOX_LOST' });
  });
});

describe('a sandbox that is ready', () => {
  it('whose init died unnoticed is seen to be dead when somebody asks', () => {
    const { next, channel } = make(true);
    channel.receive(READY);
    expect(next.isStillReady()).toBe(false); // that message was the sandbox itself
    expect(next.isStillReady()).toBe(true);
    channel.receive({ kind: 'closed' });
    expect(next.isStillReady()).toBe(false);
    expect(onLost).toHaveBeenCalledOnce();
  });

  it('is the lease’s once attached: all that init says goes there', () => {
    const { next, channel } = make();
    channel.receive(READY);
    const occupant = vi.fn();
    expect(next.attach(occupant)).toEqual({ channel, treeFds: [7, 8] });
    channel.receive({ kind: 'closed' });
    expect(occupant.mock.calls).toEqual([[{ kind: 'closed' }]]);
    expect(onLost).not.toHaveBeenCalled();
  });

  it('is given up with its channel and its descriptors', () => {
    const { next, channel } = make();
    channel.receive(READY);
    next.drop();
    expect([channel.closed, fake.closedFds]).toEqual([true, [7, 8]]);
  });
});

it('what comes after it was given up is closed and tells nobody', () => {
  const { next, channel } = make(true);
  const message = { ...READY, fds: [9] };
  channel.receive(message);
  next.drop();
  next.isStillReady();
  expect(fake.closedFds).toEqual([9]);
  expect([onReady.mock.calls, onLost.mock.calls]).toEqual([[], []]);
});
