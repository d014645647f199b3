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

test('a spare place is for a connection of which nothing runs, and for no other', async () => {
  const { order, share } = admit({ places: 1, sparePlaces: 2, sharePlaces: 2 });
  const [first, second, third] = [share('f'), share('s'), share('t')];
  first.enter('f1');
  second.enter('s1');
  second.enter('s2');
  third.enter('t1');
  await turn();
  expect(order).toEqual(['f1', 's1', 't1']);
});

test('without a queue each place is given all the same', () => {
  const { share } = admit({ places: 2, queueLength: 0 });
  const { own, enter } = share('one');
  expect([own.refusal, enter('a'), own.refusal, enter('b'), own.refusal, enter('c')]).toEqual([
    ...[null, expect.anything(), null, expect.anything(), expect.stringMatching(/^All places/), null],
  ]);
});

test('full are the places and the queue, not one of them', () => {
  const { admission, share } = admit({ places: 1, queueLength: 1, sharePlaces: 1 });
  const { enter } = share('one');
  const states = [admission.isFull];
  const tickets = [enter('a'), enter('b')];
  states.push(admission.isFull);
  tickets[1]!.leave();
  states.push(admission.isFull);
  expect(states).toEqual([false, true, false]);
  const shares = admit({ places: 2, queueLength: 1, sharePlaces: 1 });
  const greedy = shares.share('greedy');
  for (const id of ['runs', 'waits for its own share']) greedy.enter(id);
  expect([shares.admission.waiting, shares.admission.isFull]).toEqual([1, false]);
});

describe('who leaves', () => {
  test('in the same turn as it came is granted nothing', async () => {
    const { admission, order, share } = admit({ places: 1 });
    share('one').enter('gone').leave();
    await turn();
    expect([order, admission.active]).toEqual([[], 0]);
  });

  test('twice frees one place', () => {
    const { admission, share } = admit({ places: 2 });
    const { enter } = share('one');
    const [first] = [enter('first'), enter('second')];
    first!.leave();
    first!.leave();
    expect(admission.active).toBe(1);
  });

  test('the queue leaves those behind it their turn, and theirs alone', async () => {
    const { admission, order, share } = admit({ places: 1 });
    const running = share('one').enter('running');
    const { enter } = share('other');
    const [first] = [enter('first'), enter('second')];
    first!.leave();
    expect([admission.active, admission.waiting]).toEqual([1, 1]);
    await turn();
    running.leave();
    expect(order).toEqual(['running', 'second']);
  });
});

describe('parked', () => {
  test('one that leaves gives up no place but its own', async () => {
    const { admission, order, share } = admit({ places: 1 });
    const [slow, next] = [share('slow').enter('slow'), share('next').enter('next')];
    await turn();
    expect(slow.park()).toBe(true);
    slow.leave();
    share('last').enter('last');
    await turn();
    expect([order, admission.active]).toEqual([['slow', 'next'], 1]);
    // Nor does it count as parked any more: with one place one may be.
    expect(next.park()).toBe(true);
  });

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

  test('one that waits for a place, or is parked already, gives none', async () => {
    const { admission, order, share } = admit({ places: 1, sharePlaces: 2 });
    const { enter } = share('one');
    const [first, second, third] = [enter('first'), enter('second'), enter('third')];
    await turn();
    expect([second!.park(), third!.park(), first!.park(), first!.park()]).toEqual([false, false, true, true]);
    expect([order, admission.active, admission.waiting]).toEqual([['first', 'second'], 2, 1]);
  });

  test('with as many as there are places the connection with most of them is given up, when others wait', async () => {
    const { share } = admit({ places: 3 });
    const [slow, deaf] = [share('slow'), share('deaf')];
    const held = [slow.enter('s1'), deaf.enter('d1'), deaf.enter('d2')];
    expect(held.map((ticket) => ticket.park())).toEqual([true, true, true]);
    const more = ['d3', 'd4', 'd5', 'd6'].map((id) => deaf.enter(id))[0]!; // d6 waits, for its own connection
    expect(more.park()).toBe(false);
    expect(evicted).toEqual([]);
    const other = share('other');
    for (const id of ['o1', 'o2', 'o3']) other.enter(id);
    expect(more.park()).toBe(false);
    expect(more.park()).toBe(false);
    expect(evicted.splice(0)).toEqual(['deaf']);
  });
});

describe('given up', () => {
  const other = (share: (name: string) => { enter: (id: string) => Ticket }) => share('other').enter('other');

  test('is nobody for one who waits for places of its own connection', () => {
    const { share } = admit({ places: 2, sharePlaces: 5 });
    const { enter } = share('only');
    for (const ticket of [enter('a'), enter('b')]) ticket.park();
    const [last] = [enter('c'), enter('d'), enter('e')];
    expect([last!.park(), evicted]).toEqual([false, []]);
    const limited = admit({ places: 1, sharePlaces: 1 });
    limited.share('first').enter('a').park();
    const second = limited.share('second');
    const [runs] = [second.enter('b'), second.enter('c')];
    expect([runs!.park(), evicted]).toEqual([false, []]);
  });

  test('is the one with most that are parked now, not the one that was or tried to be most often', () => {
    const { share } = admit({ places: 3, sharePlaces: 4 });
    const [deaf, slow] = [share('deaf'), share('slow')];
    const [first, second] = [slow.enter('s1'), slow.enter('s2')];
    for (let times = 0; times < 3; times += 1) {
      first!.park();
      first!.unpark();
    }
    expect([first!, deaf.enter('d1'), deaf.enter('d2')].map((ticket) => ticket.park())).not.toContain(false);
    for (let times = 0; times < 3; times += 1) expect(second!.park()).toBe(false);
    for (const id of ['d3', 'd4']) deaf.enter(id);
    other(share);
    expect(second!.park()).toBe(false);
    expect(evicted.splice(0)).toEqual(['deaf']);
  });

  test('is another one when the one before is gone', () => {
    const { share } = admit({ places: 1, sharePlaces: 2 });
    const [deaf, slow] = [share('deaf'), share('slow')];
    const parked = deaf.enter('d');
    const running = slow.enter('s');
    parked.park();
    const next = other(share);
    expect([running.park(), running.park(), evicted.splice(0)]).toEqual([false, false, ['deaf']]);
    parked.leave();
    deaf.own.remove();
    expect(running.park()).toBe(true);
    share('third').enter('t');
    expect([next.park(), evicted.splice(0)]).toEqual([false, ['slow']]);
  });
});

interface Step {
  what: 'enter' | 'leave' | 'park' | 'unpark';
  pick: number;
}
const steps = fc.array(
  fc.record({
    what: fc.constantFrom<Step['what']>('enter', 'enter', 'leave', 'park', 'unpark'),
    pick: fc.nat(30),
  }),
  { maxLength: 60, size: 'max' },
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
        for (const share of shares.keys()) {
          const own = entries.filter((entry) => entry.share === share);
          const running = own.filter(({ state }) => state.isGranted).length;
          expect(running).toBeLessThanOrEqual(bound.sharePlaces);
          expect(own.length - running).toBeLessThanOrEqual(bound.shareQueueLength);
        }
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
