import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Utf8Decoder } from './output.js';

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
const places = fc.array(fc.nat(), { maxLength: 12 });

test('text cut anywhere comes out whole, and each piece is well formed', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint }), places, (text, ends) => {
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
  .array(fc.oneof(fc.constantFrom(...BYTES_OF_INTEREST), fc.nat(255)), { maxLength: 40 })
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
