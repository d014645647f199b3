import { beforeEach, expect, it } from 'vitest';
import type { CgroupTree } from '../cgroup/tree.js';
import type { EndedMessage } from '../native/native.js';
import { type GroupOrder, SlotCgroup } from './slot-cgroup.js';

const MIB = 2 ** 20;
let version: 'v1' | 'v2' = 'v2';
let resetsPeak = true;
let removed: number[] = [];

/** Makes groups with numbers from 1. */
function fakeTree(): CgroupTree {
  let made = 0;
  const makeGroup = async () => {
    const number = ++made;
    return {
      layout: { version },
      joins: [number],
      fds: {},
      folderFd: 100 + number,
      remove: async () => void removed.push(number),
      number,
    };
  };
  const retire = async (group: { number: number }) => void removed.push(group.number);
  const tree = { makeGroup, retire, keeperJoins: [50] };
  Object.defineProperty(tree, 'resetsPeak', { get: () => resetsPeak });
  return tree as unknown as CgroupTree;
}

async function madeCgroup(orders: GroupOrder[] = []): Promise<SlotCgroup> {
  const cgroup = new SlotCgroup(fakeTree(), 0);
  expect(cgroup.mustBeMade).toBe(true);
  await cgroup.make(
    (order) => void orders.push(order),
    () => false,
  );
  expect(cgroup.mustBeMade).toBe(false);
  return cgroup;
}

const endOf = (ended: Partial<EndedMessage>) => ({ taskPeak: 2, oomKillCount: 0, ...ended }) as EndedMessage;

beforeEach(() => {
  version = 'v2';
  resetsPeak = true;
  removed = [];
});

it('is kept for the next sandbox after a program of one process', async () => {
  const cgroup = await madeCgroup();
  cgroup.noteEnd(endOf({}));
  expect(cgroup.mustBeMade).toBe(false);
});

it.each([
  ['a program of several processes', endOf({ taskPeak: 3 })],
  ['an out-of-memory kill', endOf({ oomKillCount: 1 })],
])('is given up after %s, whose marks stay', async (_, ended) => {
  const cgroup = await madeCgroup();
  cgroup.noteEnd(ended);
  expect(cgroup.mustBeMade).toBe(true);
});

it('is given up after every program where the memory mark cannot start again, and when init was lost', async () => {
  resetsPeak = false;
  const cgroup = await madeCgroup();
  cgroup.noteEnd(endOf({}));
  expect(cgroup.mustBeMade).toBe(true);
  const lost = await madeCgroup();
  lost.noteLoss();
  expect(lost.mustBeMade).toBe(true);
});

it('with v1 the keeper is in the group, too', async () => {
  version = 'v1';
  const orders: GroupOrder[] = [];
  const cgroup = await madeCgroup(orders);
  expect(cgroup.helperTasks).toBe(2);
  cgroup.noteEnd(endOf({ taskPeak: 3 }));
  expect(cgroup.mustBeMade).toBe(false);
  expect(orders[0]!.joins).toEqual([1]);
});

it('is given up when its memory limit is too low to make a sandbox in', async () => {
  const cgroup = await madeCgroup();
  cgroup.noteLimits({ memoryBytes: 8 * MIB, tasks: null });
  expect(cgroup.mustBeMade).toBe(false);
  cgroup.noteLimits({ memoryBytes: 7 * MIB, tasks: null });
  expect(cgroup.mustBeMade).toBe(true);
});

it('is given up when it may have such a limit: a start failed, perhaps when that was written', async () => {
  const cgroup = await madeCgroup();
  cgroup.noteLimits({ memoryBytes: 4096, tasks: null });
  cgroup.forgetLimits();
  expect(cgroup.writtenLimits).toBeNull();
  expect(cgroup.mustBeMade).toBe(true);
  const session = await madeCgroup();
  session.noteLimits({ memoryBytes: 4096, tasks: null });
  session.noteLimits({ memoryBytes: 64 * MIB, tasks: null }); // of a start that failed before it was written
  session.forgetLimits();
  expect(session.mustBeMade).toBe(true);
});

it('is kept after a start that failed with ordinary limits', async () => {
  const cgroup = await madeCgroup();
  cgroup.noteLimits({ memoryBytes: 64 * MIB, tasks: 1 });
  cgroup.forgetLimits();
  cgroup.noteLimits({ memoryBytes: null, tasks: null });
  expect(cgroup.mustBeMade).toBe(false);
});

it('holds little while it is no more than a MiB above its first sandbox', async () => {
  const cgroup = await madeCgroup();
  expect(cgroup.holdsLittle(3 * MIB)).toBe(true);
  expect(cgroup.holdsLittle(4 * MIB)).toBe(true);
  expect(cgroup.holdsLittle(4 * MIB + 1)).toBe(false);
  expect(cgroup.holdsLittle(null)).toBe(true);
});

it('another group takes its place with nothing written; the keeper joins only once with v2', async () => {
  const orders: GroupOrder[] = [];
  const cgroup = await madeCgroup(orders);
  cgroup.noteLimits({ memoryBytes: MIB, tasks: 1 });
  cgroup.noteLoss();
  await cgroup.make(
    (order) => void orders.push(order),
    () => false,
  );
  expect(orders.map(({ joins, folder }) => [joins, folder])).toEqual([
    [[50], 101],
    [[], 102],
  ]);
  expect(cgroup.writtenLimits).toBeNull();
  expect(cgroup.mustBeMade).toBe(false);
  await cgroup.remove();
  expect(removed).toEqual([1, 2]);
});

it('is removed at once when the slot has ended meanwhile; without cgroups there is nothing to make', async () => {
  const cgroup = new SlotCgroup(fakeTree(), 0);
  const orders: GroupOrder[] = [];
  await cgroup.make(
    (order) => void orders.push(order),
    () => true,
  );
  expect(orders).toEqual([]);
  expect(removed).toEqual([1]);
  const none = new SlotCgroup(null, 0);
  expect(none.mustBeMade).toBe(false);
  expect(none.helperTasks).toBe(1);
});
