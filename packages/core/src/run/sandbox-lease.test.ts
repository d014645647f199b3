// A lease with a fake addon: what is told to whom, and that what keeps the process alive is even in the end.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { V1 } from '../cgroup/layout.js';
import type { EngineCore } from '../engine/core.js';
import { ClosedError, OverloadedError } from '../errors.js';
import { EAGAIN, EPIPE } from '../native/errno.js';
import type { EndedMessage, HelperMessage, StartMessage } from '../native/native.js';
import { PROGRAMS_MAX } from '../native/tables.js';
import type { SandboxLease as Lease, ProgramListener } from './sandbox-lease.js';

const sendStart = vi.fn(() => 0);
const sendSignal = vi.fn(() => 0);
const sendActivate = vi.fn(() => 0);
const sendMakeSocket = vi.fn(() => 0);
vi.doMock('../native/channel.js', () => ({ sendStart, sendSignal, sendActivate, sendMakeSocket }));
const closeReported = vi.fn();
vi.doMock('./stdio/init-files.js', () => ({ closeReported }));
const { SandboxLease } = await import('./sandbox-lease.js');

/** `holds`: what keeps the process alive. `say`: init says something. */
function leaseOf({ memoryEvents = '', memoryLimit = '4096' } = {}) {
  const files: Partial<Record<string, string>> = { memoryEvents, memoryLimit };
  const state = {
    holds: 0,
    detached: 0,
    released: 0,
    closed: 0,
    returned: [] as number[],
    closedFds: [] as number[],
  };
  let say: (message: HelperMessage) => void = () => undefined;
  const cgroup = {
    group: { layout: V1, has: () => false, read: (name: string) => files[name] ?? '4096' },
    forgetLimits: vi.fn(),
    noteEnd: vi.fn(),
    noteLoss: vi.fn(),
  };
  const slot = {
    owner: 5,
    cgroup,
    creationHints: { spareInput: false },
    attach: (occupant: typeof say) => {
      say = occupant;
      return { channel: { close: () => void state.closed++ }, treeFds: [8, 9] };
    },
    returnDescriptors: (fds: number[]) => void state.returned.push(...fds),
  };
  const core = {
    treeTargets: ['/w', '/tmp'],
    folderMode: 0o755,
    pins: null,
    native: {
      holdLoop: () => void state.holds++,
      releaseLoop: () => void state.holds--,
      closeFds: (fds: number[]) => void state.closedFds.push(...fds),
    },
    acquire: () => slot,
    pool: {
      detach: () => void state.detached++,
      release: () => void state.released++,
      prepareDeferred: () => undefined,
    },
  } as unknown as EngineCore;
  const lease = SandboxLease.acquire(core, {} as never) as Lease;
  return { lease, cgroup, state, say: (message: Partial<HelperMessage>) => say(message as HelperMessage) };
}

const startOf = (programId: number, more: Partial<StartMessage> = {}) =>
  ({ programId, contents: [], ahead: false, ...more }) as unknown as StartMessage;
const listener = () => ({
  group: null,
  onStarted: vi.fn(),
  onEnded: vi.fn(),
  onFailed: vi.fn(),
  onLost: vi.fn(),
});
const endOf = (programId: number) =>
  ({ kind: 'ended', programId, outputs: undefined }) as unknown as EndedMessage;

beforeEach(() => void vi.clearAllMocks());

describe('a program', () => {
  it('is told of its start and its end, and keeps the process alive between', () => {
    const { lease, state, say, cgroup } = leaseOf();
    const one = listener();
    lease.start(startOf(1), one);
    expect([state.holds, lease.alive]).toEqual([1, 1]);
    say({ kind: 'started', programId: 1, pid: 7, fds: [3] });
    expect(one.onStarted).toHaveBeenCalledWith(7, [3]);
    say(endOf(1));
    expect(one.onEnded).toHaveBeenCalledOnce();
    expect(cgroup.noteEnd).toHaveBeenCalledOnce();
    expect([state.holds, lease.alive]).toEqual([0, 0]);
  });

  it('that could not be started is told so, and its limits count as not written', () => {
    const { lease, state, say, cgroup } = leaseOf();
    const one = listener();
    lease.start(startOf(1), one);
    say({ kind: 'failed', stage: 'exec', programId: 1 });
    expect(one.onFailed).toHaveBeenCalledOnce();
    expect(cgroup.forgetLimits).toHaveBeenCalledOnce();
    expect(state.holds).toBe(0);
  });

  it('of which the kernel killed a process for the memory of others is lost, not judged', () => {
    const { lease, say } = leaseOf({ memoryLimit: '67108864' });
    const one = listener();
    lease.start(startOf(1), one);
    const outputs = [null];
    say({ ...endOf(1), oomKillCount: 1, cause: 'memory-limit', outputs } as EndedMessage);
    expect(one.onLost).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: 'SBX_HOST_MEMORY' }));
    expect(one.onEnded).not.toHaveBeenCalled();
    expect(closeReported).toHaveBeenCalledExactlyOnceWith(outputs);
    expect([lease.alive, lease.lost]).toEqual([0, null]);
  });

  it('nobody listens to any more leaves no descriptor open', () => {
    const { state, say } = leaseOf();
    say({ kind: 'started', programId: 9, pid: 1, fds: [4] });
    say(endOf(9));
    expect(state.closedFds).toEqual([4]);
    expect(closeReported).toHaveBeenCalledOnce();
  });

  it('is signalled while it lives', () => {
    const { lease, say } = leaseOf();
    lease.start(startOf(1), listener());
    lease.signal(1, 9, 'killed', true);
    say(endOf(1));
    lease.signal(1, 9, 'killed', true);
    expect(sendSignal).toHaveBeenCalledOnce();
  });
});

describe('a start', () => {
  it('that init does not take in time may be tried again', () => {
    const { lease, state, cgroup } = leaseOf();
    sendStart.mockReturnValueOnce(EAGAIN);
    expect(() => lease.start(startOf(1), listener())).toThrow(OverloadedError);
    sendStart.mockReturnValueOnce(-32);
    expect(() => lease.start(startOf(1), listener())).toThrow('The sandbox (errno 32)');
    expect(cgroup.forgetLimits).toHaveBeenCalledTimes(2);
    expect([state.holds, lease.alive]).toEqual([0, 0]);
  });

  it('beyond what a sandbox holds is refused before it is sent', () => {
    const { lease } = leaseOf();
    for (let id = 1; id <= PROGRAMS_MAX; id += 1) lease.start(startOf(id), listener());
    expect(() => lease.start(startOf(0), listener())).toThrow(OverloadedError);
    expect(sendStart).toHaveBeenCalledTimes(PROGRAMS_MAX);
  });

  it('of a warm process keeps nothing alive until a request adopts it', () => {
    const { lease, state, say } = leaseOf();
    lease.start(startOf(1, { ahead: true }), listener());
    expect(state.holds).toBe(0);
    const adopted: ProgramListener = listener();
    lease.adopt(1, adopted);
    expect(state.holds).toBe(1);
    say(endOf(1));
    expect(adopted.onEnded).toHaveBeenCalledOnce();
    expect(state.holds).toBe(0);
  });

  it('of a warm process that ends before leaves the count even', () => {
    const { lease, state, say } = leaseOf();
    lease.start(startOf(1, { ahead: true }), listener());
    say(endOf(1));
    expect(state.holds).toBe(0);
  });
});

describe('a socket of its network', () => {
  it('does not come when init is gone, or the sandbox is closed, and is closed when nobody asked', async () => {
    const [dead, closed] = [leaseOf(), leaseOf()];
    const waiting = [dead, closed].map(({ lease }) => lease.makeSocket(false));
    dead.say({ kind: 'socket', requestId: 9, errorNumber: 0, fds: [7] });
    expect(dead.state.closedFds).toEqual([7]);
    dead.say({ kind: 'closed' });
    closed.lease.close();
    for (const each of waiting) expect(await each).toBe(EPIPE);
    for (const { lease } of [dead, closed]) expect(await lease.makeSocket(false)).toBe(EPIPE);
    expect([dead.state.holds, closed.state.holds]).toEqual([0, 0]);
  });
});

describe('the end of the sandbox', () => {
  it('by close: whoever lives is lost, once, and nothing starts any more', () => {
    const { lease, state } = leaseOf();
    const one = listener();
    lease.start(startOf(1), one);
    lease.close();
    lease.close();
    expect(one.onLost.mock.calls).toEqual([[expect.any(ClosedError)]]);
    expect(state).toMatchObject({ holds: 0, detached: 1, released: 1, closed: 1, returned: [8, 9] });
    expect(() => lease.start(startOf(2), listener())).toThrow(ClosedError);
    expect(() => lease.folder.checkOpen()).toThrow(ClosedError);
    expect(lease.activate({} as never)).toBe(false);
  });

  it('after its only program: it counts as free at once, and is torn down after the answer', async () => {
    const { lease, state } = leaseOf();
    lease.closeAfterEnd();
    expect(state).toMatchObject({ detached: 1, released: 0, closed: 0 });
    await new Promise(setImmediate);
    expect(state).toMatchObject({ detached: 1, released: 1, closed: 1 });
  });

  it('by the death of init: all are lost, and the next start says so', () => {
    const { lease, state, say, cgroup } = leaseOf();
    const both = [listener(), listener()];
    for (const [index, one] of both.entries()) lease.start(startOf(index), one);
    say({ kind: 'closed' });
    say({ kind: 'closed' });
    for (const { onLost } of both) expect(onLost).toHaveBeenCalledOnce();
    expect(cgroup.noteLoss).toHaveBeenCalledOnce();
    expect(lease.lost).not.toBeNull();
    expect(state.holds).toBe(0);
    expect(() => lease.start(startOf(5), listener())).toThrow(lease.lost!);
  });

  it('by the death of init for memory is a verdict on its programs', () => {
    const { lease, say } = leaseOf({ memoryEvents: 'oom 1\noom_kill 2\n' });
    const one = listener();
    lease.start(startOf(3), one);
    say({ kind: 'closed' });
    expect(one.onLost).not.toHaveBeenCalled();
    expect(one.onEnded).toHaveBeenCalledWith(
      expect.objectContaining({
        programId: 3,
        cause: 'memory-limit',
        oomKillCount: 2,
        memoryPeakBytes: 4096,
      }),
    );
  });

  it('by the death of init for memory of others is none', () => {
    const { lease, say } = leaseOf({ memoryEvents: 'oom_kill 2\n', memoryLimit: '67108864' });
    const one = listener();
    lease.start(startOf(3), one);
    say({ kind: 'closed' });
    expect(one.onLost).toHaveBeenCalledExactlyOnceWith(lease.lost);
    expect(one.onEnded).not.toHaveBeenCalled();
  });
});
