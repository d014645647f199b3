import type { ProgramOutput } from '@sbx/core';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { OutputBudget, OutputPump, Utf8Decoder } from './output.js';

/** Text of the pieces, and whether each was valid by itself. */
function decodeIn(pieces: Uint8Array[]): string[] {
  const decoder = new Utf8Decoder();
  return [...pieces.map((piece) => decoder.decode(piece)), decoder.end()];
}

function cut(bytes: Uint8Array, places: number[]): Uint8Array[] {
  const ends = [...new Set(places.map((place) => place % (bytes.length + 1)))].sort((a, b) => a - b);
  return [...ends, bytes.length].map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
}

/** As fast-check's own `binary`, which first spends a second on a table of all characters. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map((index) => {
  return String.fromCodePoint(index < 0xd800 ? index : index + 0x800); // no half of a surrogate pair
});

const whole = (bytes: Uint8Array) => new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
const places = fc.array(fc.nat(), { maxLength: 12, size: 'max' });

test('text cut anywhere comes out whole, and each piece is well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 40, size: 'max' }), places, (text, ends) => {
      const pieces = decodeIn(cut(Buffer.from(text), ends));
      expect(pieces.join('')).toBe(text);
      for (const piece of pieces) expect(/\p{Surrogate}/u.test(piece)).toBe(false);
    }),
  );
});

const BYTES_OF_INTEREST = [
  0x00, 0x41, 0x7f, 0x80, 0xbf, 0xc0, 0xc2, 0xe0, 0xa0, 0xed, 0xef, 0xbb, 0xf0, 0x90, 0xf4, 0x8f, 0xf5, 0xff,
];
const anyBytes = fc
  .array(fc.oneof(fc.constantFrom(...BYTES_OF_INTEREST), fc.nat(255)), { maxLength: 40, size: 'max' })
  .map((list) => Uint8Array.from(list));

test('what is no UTF-8 is replaced as if it had come in one piece', () => {
  fc.assert(
    fc.property(anyBytes, places, (bytes, ends) => {
      expect(decodeIn(cut(bytes, ends)).join('')).toBe(whole(bytes));
    }),
    { numRuns: 2000 },
  );
});

test('a character is out as soon as its last byte is there', () => {
  const decoder = new Utf8Decoder();
  expect([...Buffer.from('€')].map((byte) => decoder.decode(Uint8Array.of(byte)))).toEqual(['', '', '€']);
});

test('what no byte can make a character any more is not held back', () => {
  const bad = [
    [0xff],
    [0xc0],
    [0xf5],
    [0xe0, 0x80],
    [0xed, 0xa0],
    [0xf0, 0x80],
    [0xf4, 0x90],
    [0xf0, 0x9f, 0x41],
  ];
  for (const bytes of bad) {
    const [text, rest] = decodeIn([Uint8Array.from(bytes)]);
    expect([text, rest]).toEqual([whole(Uint8Array.from(bytes)), '']);
  }
});

/** A program whose output the test writes, on its way to a client who takes it when the test says so. */
function pump({ budgetBytes = 1000, hasRoom = true } = {}) {
  const told: string[] = [];
  const waiting = new Set<() => void>();
  const client = { hasRoom };
  let take!: (bytes: Uint8Array) => Promise<unknown> | null;
  let end!: () => void;
  const stream = {
    each: (callback: typeof take) => {
      take = callback;
      return new Promise<void>((resolve) => {
        end = resolve;
      });
    },
    destroy: () => end(),
  } as unknown as ProgramOutput;
  const own = new OutputPump(stream, {
    outlet: {
      hasRoom: () => client.hasRoom,
      whenRoom: (callback) => {
        waiting.add(callback);
        return () => void waiting.delete(callback);
      },
    },
    budget: new OutputBudget(budgetBytes),
    emit: (text) => void told.push(text),
    onOverflow: () => void told.push('OVERFLOW'),
    onBlocked: (isBlocked) => void told.push(isBlocked ? 'BLOCKED' : 'UNBLOCKED'),
  });
  const write = (data: string | Uint8Array) => take(Buffer.from(data as string));
  const makeRoom = () => {
    for (const callback of waiting) {
      waiting.delete(callback);
      callback();
    }
  };
  return { own, told, waiting, write, makeRoom, end: () => end() };
}

describe('a pump', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('sends the first write at once and joins what follows soon', () => {
    const { told, write } = pump();
    expect([write('a'), write('b'), write('c')]).toEqual([null, null, null]);
    expect(told).toEqual(['a']);
    vi.advanceTimersByTime(20);
    expect(told).toEqual(['a', 'bc']);
  });

  test('cuts what is large', () => {
    const { told, write } = pump({ budgetBytes: 1e6 });
    write('x'.repeat(150_000));
    expect(told.map((text) => text.length)).toEqual([65_536, 65_536, 150_000 - 2 * 65_536]);
  });

  test('lets the program wait while the client takes nothing', async () => {
    const { told, write, makeRoom } = pump({ hasRoom: false });
    const waits = write('a');
    expect(told).toEqual(['BLOCKED']);
    makeRoom();
    await waits;
    expect(told).toEqual(['BLOCKED', 'UNBLOCKED', 'a']);
  });

  test('counts to the last byte within the limit', () => {
    const { told, write } = pump({ budgetBytes: 3 });
    write('abc');
    expect(told).toEqual(['abc']);
    write('d');
    expect(told).toEqual(['abc', 'OVERFLOW']);
  });

  test.each([
    ['the program ended', false, 'a\ufffd'],
    ['it was closed', true, 'a'],
  ])('a character that is cut when %s', async (_name, isClosed, text) => {
    const { own, told, write, end } = pump();
    write(Uint8Array.of(0x61, 0xe2));
    if (isClosed) own.close();
    else end();
    await own.done;
    expect(told.join('')).toBe(text);
  });

  test('stopped, it sends what it has without room, and is done though the program goes on', async () => {
    const { own, told, write } = pump({ hasRoom: false });
    void write('a');
    own.stop();
    await own.done;
    expect(told).toEqual(['BLOCKED', 'a', 'UNBLOCKED']);
    expect(write('b')).toBeNull();
    expect(told).toEqual(['BLOCKED', 'a', 'UNBLOCKED']);
  });

  test.each(['stop', 'discard'] as const)('%s gives up its turn, and reading waits no more', async (end) => {
    const { own, told, waiting, write } = pump({ hasRoom: false });
    const waits = write('a');
    expect(waiting.size).toBe(1);
    own[end]();
    await waits;
    expect(waiting.size).toBe(0);
    expect(told.filter((what) => what !== 'a')).toEqual(['BLOCKED', 'UNBLOCKED']);
  });

  test('discarding, it reads on for nothing and still counts', () => {
    const { own, told, write } = pump({ budgetBytes: 2 });
    own.discard();
    expect([write('ab'), write('c')]).toEqual([null, null]);
    expect(told).toEqual(['OVERFLOW']);
  });
});
