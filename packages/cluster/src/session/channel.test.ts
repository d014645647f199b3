import { expect, test } from 'vitest';
import { randomFrom, SimClock } from '../testing/sim-clock.js';
import { decodeFrame, encodeFrame } from '../wire/session.js';
import { Channel } from './channel.js';

interface Ends {
  clock: SimClock;
  a: Channel;
  b: Channel;
  got: string[];
  inFlight: () => number;
  lost: string[];
}

/** Two ends over a link that drops and reorders; `b` takes `takeMs` for each message. */
function joined(seed: number, drop: number, takeMs: number): Ends {
  const clock = new SimClock();
  const random = randomFrom(seed);
  const got: string[] = [];
  const lost: string[] = [];
  let taking = 0;
  let most = 0;
  const passing = (to: () => Channel) => (data: Uint8Array) => {
    if (random() >= drop) clock.after(random() * 50, () => to().receive(data));
    if (random() < 0.1) clock.after(random() * 500, () => to().receive(data)); // doubled
  };
  const a: Channel = new Channel(clock, {
    send: passing(() => b),
    take: () => undefined,
    onLost: () => lost.push('b'),
  });
  const b: Channel = new Channel(clock, {
    send: passing(() => a),
    take: (_message, bytes) => {
      got.push(Buffer.from(bytes).toString());
      most = Math.max(most, ++taking);
      return new Promise<void>((resolve) => {
        clock.after(takeMs, () => {
          taking -= 1;
          resolve();
        });
      });
    },
    onLost: () => lost.push('a'),
  });
  return { clock, a, b, got, inFlight: () => most, lost };
}

test.each([0, 0.2, 0.5])('with %d of all frames lost each message comes once and in order', async (drop) => {
  for (let seed = 1; seed <= 20; seed += 1) {
    const { clock, a, got } = joined(seed, drop, 5);
    let isFlushed = false;
    const wanted = Array.from({ length: 30 }, (_, index) => `${index}`);
    for (const text of wanted) void a.send({ kind: 'output', fd: 1 }, Buffer.from(text));
    void a.flushed().then(() => {
      isFlushed = true;
    });
    await clock.run(500_000, () => isFlushed);
    expect(got, `seed ${seed}`).toEqual(wanted);
    expect(isFlushed, `seed ${seed}`).toBe(true);
  }
});

test('a sender that waits for each has one chunk on its way, however slow the reader', async () => {
  const { clock, a, got, inFlight, lost } = joined(7, 0.1, 90_000);
  let sent = 0;
  const sending = (async () => {
    for (let index = 0; index < 3; index += 1) {
      await a.send({ kind: 'output', fd: 1 }, Buffer.from(`${index}`));
      sent += 1;
    }
  })();
  await clock.run(600_000, () => sent === 3);
  await sending;
  expect(got).toEqual(['0', '1', '2']);
  expect(inFlight()).toBe(1);
  expect(lost).toEqual([]);
});

test('a side that never answers is lost after a minute, and told once', async () => {
  const { clock, a, lost } = joined(1, 1, 0);
  a.receive = () => undefined;
  void a.send({ kind: 'started', id: 1 });
  await clock.run(50_000);
  expect(lost).toEqual([]);
  await clock.run(300_000);
  expect(lost).toEqual(['b']);
});

test('a side that waits for nothing is left with what nobody has taken yet', () => {
  const chunk = Buffer.alloc(2 ** 20);
  let chunksHeld = 0;
  let received = 0;
  const channel = new Channel(new SimClock(), {
    send(data) {
      received = decodeFrame(data).frame.received;
    },
    take() {
      chunksHeld += 1;
      return new Promise(() => undefined);
    },
    onLost: () => undefined,
  });
  for (let number = 1; number <= 200; number += 1) {
    const frame = { number, received: 0, consumed: [], message: { kind: 'input', fd: 0 } } as const;
    channel.receive(encodeFrame({ ...frame, consumed: [] }, chunk));
  }
  expect([chunksHeld, received]).toEqual([64, 64]);
});
