import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Admission, type AdmissionBounds, type Share, type Ticket } from './admission.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

const evicted: string[] = [];
function admit(bounds: Partial<AdmissionBounds>) {
  const { places = 1, queueLength = 20 } = bounds;
  const admission = new Admission({
    ...{ places, queueLength, sparePlaces: 0, spareQueueLength: 0 },
    ...{ sharePlaces: places, shareQueueLength: queueLength, ...bounds },
  });
  const order: string[] = [];
  const share = (name: string) => {
    const own = admission.share(() => void evicted.push(name));
    return { own, enter: (id: string) => own.enter(() => void order.push(id))! };
  };
  return { admission, order, share };
}

test('places go round the connections that wait', async () => {
  const { order, share } = admit({ places: 1 });
  const [greedy, second, third] = [share('g'), share('s'), share('t')];
  const tickets: Record<string, Ticket> = {};
  for (const id of ['g1', 'g2', 'g3', 'g4']) tickets[id] = greedy.enter(id);
  for (const id of ['s1', 's2']) tickets[id] = second.enter(id);
  tickets.t1 = third.enter('t1');
  await turn();
  for (let at = 0; at < 7; at += 1) tickets[order[at]!]!.leave();
  expect(order).toEqual(['g1', 'g2', 's1', 't1', 'g3', 's2', 'g4']);
});

test('with all places and the queue full another connection still gets a place, and one in the queue', async () => {
  const { admission, order, share } = admit({
    places: 2,
    queueLength: 2,
    sparePlaces: 1,
    spareQueueLength: 1,
  });
  const greedy = share('g');
  for (let taken = 0; taken < 4; taken += 1) expect(greedy.enter('g')).not.toBeNull();
  expect(greedy.own.refusal).toMatch(/^All places/);
  expect(greedy.enter('g')).toBeNull();
  const [other, third] = [share('o'), share('t')];
  other.enter('o1');
  await turn();
  expect(order).toEqual(['g', 'g', 'o1']);
  expect([other.enter('o2'), third.enter('t1')].map((ticket) => ticket === null)).toEqual([false, true]);
  expect([admission.active, admission.waiting, admission.isFull]).toEqual([3, 3, true]);
});

test('one connection has its share, and not more, of places and queue', () => {
  const { admission, share } = admit({ places: 4, queueLength: 4, sharePlaces: 3, shareQueueLength: 3 });
  const greedy = share('g');
  for (let taken = 0; taken < 6; taken += 1) expect(greedy.enter('g')).not.toBeNull();
  expect([admission.active, admission.waiting]).toEqual([3, 3]);
  expect(greedy.own.refusal).toMatch(/^This connection/);
  expect(greedy.enter('g')).toBeNull();
  const other = share('o');
  expect([other.enter('o'), other.enter('o')]).not.toContain(null);
  expect(other.own.refusal).toMatch(/^All places/);
});

describe('parked', () => {
  test('its place goes to another, and it takes one more when it goes on', async () => {
    const { admission, order, share } = admit({ places: 1 });
    const [slow, next] = [share('slow').enter('slow'), share('next').enter('next')];
    share('last').enter('last');
    await turn();
    expect(slow.park()).toBe(true);
    expect([order, admission.active]).toEqual([['slow', 'next'], 2]);
    slow.unpark();
    next.leave();
    expect(order).toEqual(['slow', 'next']);
    slow.leave();
    expect(order).toEqual(['slow', 'next', 'last']);
  });

  test('it counts to the share of its connection', async () => {
    const { order, share } = admit({ places: 2, sharePlaces: 1 });
    const { enter } = share('one');
    const first = enter('first');
    enter('second');
    await turn();
    first.park();
    expect(order).toEqual(['first']);
    first.leave();
    expect(order).toEqual(['first', 'second']);
  });

  test('with as many as there are places the connection with most of them is given up, when others wait', async () => {
    const { share } = admit({ places: 3 });
    const [deaf, slow] = [share('deaf'), share('slow')];
    const held = [slow.enter('s1'), deaf.enter('d1'), deaf.enter('d2')];
    expect(held.map((ticket) => ticket.park())).toEqual([true, true, true]);
    const more = ['d3', 'd4', 'd5', 'd6'].map((id) => deaf.enter(id))[0]!; // d6 waits, for its own connection
    expect(more.park()).toBe(false);
    expect(evicted).toEqual([]);
    const other = share('other');
    for (const id of ['o1', 'o2', 'o3']) other.enter(id);
    expect(more.park()).toBe(false);
    expect(more.park()).toBe(false);
    expect(evicted).toEqual(['deaf']);
  });
});

interface Step {
  what: 'enter' | 'leave' | 'park' | 'unpark';
  pick: number;
}
const steps = fc.array(
  fc.record({
    what: fc.constantFrom<Step['what']>('enter', 'enter', 'leave', 'park', 'unpark'),
    pick: fc.nat(5),
  }),
  { maxLength: 120 },
);

const bounds = fc.record({
  places: fc.integer({ min: 1, max: 4 }),
  queueLength: fc.nat(4),
  sparePlaces: fc.nat(2),
  spareQueueLength: fc.nat(2),
  sharePlaces: fc.integer({ min: 1, max: 4 }),
  shareQueueLength: fc.nat(4),
});

interface Entry {
  share: number;
  ticket: Ticket;
  state: { isGranted: boolean };
  isParked: boolean;
}

function take({ what, pick }: Step, shares: readonly Share[], entries: Entry[]): void {
  const entry = entries[pick % Math.max(1, entries.length)];
  if (what === 'enter') {
    const share = pick % shares.length;
    const { refusal } = shares[share]!;
    const state = { isGranted: false };
    const ticket = shares[share]!.enter(() => {
      state.isGranted = true;
    });
    expect(ticket === null).toBe(refusal !== null);
    if (ticket !== null) entries.push({ share, ticket, state, isParked: false });
  } else if (entry !== undefined) {
    const given = entry.ticket[what]();
    entry.isParked = given === true;
    if (what === 'leave') entries.splice(entries.indexOf(entry), 1);
  }
}

test('whatever comes: bounds hold, no place is idle while one may have it, nothing is lost', async () => {
  await fc.assert(
    fc.asyncProperty(bounds, steps, async (bound, all) => {
      const admission = new Admission(bound);
      const shares = Array.from({ length: 3 }, () => admission.share(() => undefined));
      const entries: Entry[] = [];
      for (const step of all) {
        take(step, shares, entries);
        await null;
        const granted = entries.filter(({ state }) => state.isGranted);
        const parked = entries.filter(({ isParked }) => isParked);
        expect(admission.active).toBe(granted.length);
        expect(admission.waiting).toBe(entries.length - granted.length);
        expect(admission.waiting).toBeLessThanOrEqual(bound.queueLength + bound.spareQueueLength);
        expect(parked.length).toBeLessThanOrEqual(bound.places);
        expect(granted.length).toBeLessThanOrEqual(bound.places * 2 + bound.sparePlaces);
        if (granted.length - parked.length >= bound.places) continue;
        for (const { share, state } of entries) {
          const running = granted.filter((entry) => entry.share === share).length;
          if (!state.isGranted) expect(running).toBeGreaterThanOrEqual(bound.sharePlaces);
        }
      }
      for (const { ticket } of entries.splice(0)) ticket.leave();
      expect([admission.active, admission.waiting]).toEqual([0, 0]);
    }),
  );
});
