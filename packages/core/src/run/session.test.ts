// Which programs of a session use the sandbox's own group, with everything below it faked.
import { expect, it, vi } from 'vitest';
import type { Group } from '../cgroup/group.js';
import { engineLimits } from '../options/limits.js';
import type { SandboxLease } from './sandbox-lease.js';

const started: { member?: Group | undefined }[] = [];
const ends: (() => void)[] = [];
/** Programs whose streams were closed, and when those of a program have been read. */
const closed: number[] = [];
const read: Record<number, Promise<void>> = {};
/** Programs whose reports have not come. */
const unreported = new Set<number>();
vi.doMock('./running.js', () => ({
  Running: {
    start: (_lease: unknown, request: { member?: Group }) => {
      started.push(request);
      const result = new Promise((resolve) => ends.push(() => resolve({})));
      const id = started.length;
      return {
        id,
        result,
        graceMs: 0,
        end: () => undefined,
        stdio: { closeStreams: () => void closed.push(id), allRead: () => read[id] ?? new Promise(() => {}) },
      };
    },
  },
}));
vi.doMock('./group-limits.js', () => ({ writeBounds: () => undefined }));
const { Session } = await import('./session.js');

const limits = engineLimits(undefined, undefined);

function sessionOn(resetsPeak: boolean) {
  started.length = 0;
  const member = { remove: async () => undefined, read: () => null };
  const group = { makeMember: async () => member, read: () => null };
  const core = { closers: new Set(), options: {}, tree: { resetsPeak } };
  const isUnreported = (id: number) => unreported.has(id);
  const lease = {
    core,
    slot: { cgroup: { group, helperTasks: 1 } },
    closed: false,
    lost: null,
    isUnreported,
    close: () => undefined,
  };
  return new Session(lease as unknown as SandboxLease, {}, limits);
}

/**
 * Starts so many programs and says which of them have a group of their own; each ends before the next when
 * `inTurn`.
 */
async function membersOf(session: InstanceType<typeof Session>, count: number, inTurn: boolean) {
  for (let index = 0; index < count; index += 1) {
    const running = await session.start('true', [], {}, false);
    if (!inTurn) continue;
    ends.pop()!();
    await running.result;
    await Promise.resolve(); // the session hears of it
  }
  return started.map(({ member }) => member !== undefined);
}

it('one after another all use it where its high-water mark starts again', async () => {
  expect(await membersOf(sessionOn(true), 3, true)).toEqual([false, false, false]);
});

it('only the first where it does not: the others would be told the first one’s peak', async () => {
  expect(await membersOf(sessionOn(false), 3, true)).toEqual([false, true, true]);
});

it('only the first of those that run at once', async () => {
  expect(await membersOf(sessionOn(true), 3, false)).toEqual([false, true, true]);
});

it('only the first while init goes on killing it, though it is told as ended', async () => {
  const session = sessionOn(true);
  unreported.add(1);
  expect(await membersOf(session, 2, true)).toEqual([false, true]);
  unreported.clear();
  expect(await membersOf(session, 1, true)).toEqual([false, true, false]);
});

it('keeps no program that is over and read', async () => {
  const session = sessionOn(true);
  read[1] = Promise.resolve();
  for (let count = 0; count < 2; count += 1) await session.start('true', [], {}, true);
  for (const end of ends.splice(0)) end();
  await Promise.all(Object.values(read));
  await session.close();
  expect(closed).toEqual([2]);
});
