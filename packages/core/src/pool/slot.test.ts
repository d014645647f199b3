// A slot's life with a fake addon: which moves there are, what goes to the keeper, what becomes of
// descriptors and groups.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { CgroupTree } from '../cgroup/tree.js';
import type { SbxError } from '../errors.js';
import { fake, specOf, useFakeNative } from './fake-native.js';
import type { Slot, SlotState } from './slot.js';

useFakeNative(vi);
const { Slot: SlotClass, moveSlot } = await import('./slot.js');

const MIB = 2 ** 20;
const ready = vi.fn<(slot: Slot) => void>();
const lost = vi.fn<(slot: Slot, error: SbxError) => void>();

beforeEach(() => {
  fake.forget();
  vi.clearAllMocks();
});

/** Groups that count how many were made and retired. */
function fakeTree() {
  const counts = { made: 0, retired: 0 };
  const tree = {
    resetsPeak: true,
    keeperJoins: [],
    makeGroup: async () => {
      counts.made += 1;
      return { layout: { version: 'v2' }, joins: [], fds: {}, folderFd: -1, remove: async () => undefined };
    },
    retire: async () => {
      counts.retired += 1;
    },
  } as unknown as CgroupTree;
  return { tree, counts };
}

function open(tree: CgroupTree | null = null) {
  let keeperEnd = -1;
  const slot = new SlotClass({
    id: 1,
    uidBase: 7000,
    spec: specOf('a'),
    tree,
    listener: { onReady: ready, isAwaited: () => true, onLost: lost },
    clone: (helperEnd) => {
      keeperEnd = helperEnd;
    },
  });
  const keeper = fake.channels.get(keeperEnd - 1)!;
  return { slot, keeper };
}

async function openReady(tree: CgroupTree | null = null) {
  const before = fake.orders.length;
  const { slot, keeper } = open(tree);
  keeper.receive({ kind: 'ready', fds: [], heldBytes: null });
  await vi.waitFor(() => expect(fake.orders).toHaveLength(before + 1));
  fake.makeReady(before, tree === null ? null : 5 * MIB);
  expect(slot.state).toBe('ready');
  return { slot, keeper };
}

describe('a slot', () => {
  it('goes from starting over preparing and ready to leased, and round again', async () => {
    const { slot, keeper } = open();
    expect(slot.state).toBe('starting');
    keeper.receive({ kind: 'ready', fds: [], heldBytes: null });
    expect(slot.state).toBe('preparing');
    fake.makeReady();
    expect([slot.state, ready.mock.calls.length]).toEqual(['ready', 1]);
    slot.claim();
    expect(slot.state).toBe('leased');
    const { treeFds } = slot.attach(() => undefined);
    expect(treeFds).toEqual([fake.orders[0]!.fd * 10]);
    slot.endUse();
    expect(slot.state).toBe('preparing');
    slot.returnDescriptors(treeFds);
    slot.prepare(slot.spec);
    expect(fake.orders[1]!.left).toEqual(treeFds); // the keeper closes its copies
    expect(fake.closedFds).toEqual(treeFds);
    fake.makeReady();
    expect(slot.state).toBe('ready');
  });

  it('is leased to one request alone, and only when ready', async () => {
    const { slot } = await openReady();
    slot.claim();
    expect(() => slot.claim()).toThrow('from leased to leased');
    slot.attach(() => undefined);
    expect(() => slot.attach(() => undefined)).toThrow('closed');
  });

  it('that was claimed and not used is ready again', async () => {
    const { slot } = await openReady();
    slot.claim();
    slot.endUse();
    slot.unclaim();
    expect(slot.state).toBe('ready');
  });

  it('makes the sandbox anew for another spec, and forgets the one that stood', async () => {
    const { slot } = await openReady();
    const before = fake.orders[0]!.fd;
    slot.prepare(specOf('b'));
    expect([slot.state, slot.spec.key]).toEqual(['preparing', 'b']);
    expect(fake.channels.get(before)!.closed).toBe(true);
    expect(fake.closedFds).toEqual([before * 10]);
  });

  it('serves the next spec after one that was for a single request', async () => {
    const { slot } = await openReady();
    slot.prepare(specOf('once', specOf('a')));
    fake.makeReady();
    slot.claim();
    slot.attach(() => undefined);
    slot.endUse();
    expect(slot.spec.key).toBe('a');
  });

  it('ends once, and closes what it was given back and what nobody took', async () => {
    const { slot, keeper } = await openReady();
    slot.returnDescriptors([55]);
    await Promise.all([slot.end(), slot.end()]);
    expect(slot.state).toBe('ended');
    expect(keeper.closed).toBe(true);
    expect([...fake.closedFds].sort()).toEqual([fake.orders[0]!.fd * 10, 55].sort());
    slot.prepare(specOf('late'));
    slot.returnDescriptors([56]);
    expect(fake.closedFds).toContain(56);
    expect(fake.orders).toHaveLength(1);
  });

  it('is lost with its keeper, and with a sandbox that fails before it is taken', async () => {
    const one = await openReady();
    one.keeper.receive({ kind: 'closed' });
    expect(lost.mock.calls.map(([slot, error]) => [slot, error.code])).toEqual([
      [one.slot, 'SBX_SANDBOX_LOST'],
    ]);
    const two = await openReady();
    fake.channels.get(fake.orders.at(-1)!.fd)!.receive({ kind: 'closed' });
    expect(lost.mock.lastCall![0]).toBe(two.slot);
  });

  it('is lost when the keeper does not take the order', async () => {
    const { slot } = await openReady();
    fake.refusal = -32;
    slot.prepare(slot.spec);
    expect(lost.mock.lastCall![1].code).toBe('SBX_SANDBOX_LOST');
  });
});

describe('its group', () => {
  it('is kept while the next sandbox can see nothing of the last one in it', async () => {
    const { tree, counts } = fakeTree();
    const { slot } = await openReady(tree);
    slot.prepare(slot.spec);
    expect(fake.orders).toHaveLength(2);
    expect(counts).toEqual({ made: 1, retired: 0 });
  });

  it.each([
    ['init died', (slot: Slot) => slot.cgroup.noteLoss()],
    ['a program had tasks', (slot: Slot) => slot.cgroup.noteEnd({ taskPeak: 9, oomKillCount: 0 } as never)],
    ['memory ran out', (slot: Slot) => slot.cgroup.noteEnd({ taskPeak: null, oomKillCount: 1 } as never)],
    ['the limit is narrow', (slot: Slot) => slot.cgroup.noteLimits({ memoryBytes: MIB, tasks: null })],
  ])('is another one after %s', async (_, mark) => {
    const { tree, counts } = fakeTree();
    const { slot } = await openReady(tree);
    mark(slot);
    slot.prepare(slot.spec);
    await vi.waitFor(() => expect(fake.orders).toHaveLength(2));
    expect(counts).toEqual({ made: 2, retired: 1 });
    expect(slot.cgroup.writtenLimits).toBe(null);
  });

  it('is another one when memory of the last sandbox is still charged to it', async () => {
    const { tree, counts } = fakeTree();
    const { slot } = await openReady(tree);
    slot.prepare(slot.spec);
    fake.makeReady(1, 6 * MIB + 1);
    expect(slot.state).toBe('preparing');
    await vi.waitFor(() => expect(fake.orders).toHaveLength(3));
    expect(counts).toEqual({ made: 2, retired: 1 });
    fake.makeReady(2, 5 * MIB);
    expect(slot.state).toBe('ready');
  });

  it('goes with the slot', async () => {
    const { tree, counts } = fakeTree();
    const { slot } = await openReady(tree);
    await slot.end();
    expect(counts).toEqual({ made: 1, retired: 1 });
  });
});

const STATES: readonly SlotState[] = ['starting', 'preparing', 'ready', 'leased', 'ended'];

it('a slot has these moves and no others', () => {
  const moves = STATES.flatMap((from) =>
    STATES.filter((to) => {
      try {
        return moveSlot(from, to) === to;
      } catch {
        return false;
      }
    }).map((to) => `${from} ${to}`),
  );
  expect(moves).toEqual([
    'starting preparing',
    'starting ended',
    'preparing preparing',
    'preparing ready',
    'preparing ended',
    'ready preparing',
    'ready leased',
    'ready ended',
    'leased preparing',
    'leased ended',
  ]);
});
