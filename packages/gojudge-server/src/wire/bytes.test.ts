import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeChunks } from './bytes.js';
import { decodeGoUtf8 } from './go-text.js';
import { goJson } from './results.js';

const utf8 = (text: string) => new TextEncoder().encode(text);
const encodeLarge = (bytes: Uint8Array) => Buffer.concat([...encodeChunks(bytes, Buffer.allocUnsafe)]);

/** As fast-check's own `binary`, which first spends a second on a table of all characters. */
const codePoint = fc.integer({ min: 0, max: 0x10ffff - 0x800 }).map((index) => {
  return String.fromCodePoint(index < 0xd800 ? index : index + 0x800); // no half of a surrogate pair
});

it('writes text as the small way does', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 40, size: 'max' }), (text) => {
      expect(encodeLarge(utf8(text)).toString()).toBe(goJson(text));
    }),
  );
  const special = '<>&"\\/\u2028\u2029\u2030\ufffd\u007f\b\t\n\f\r\0\u001f';
  expect(encodeLarge(utf8(special)).toString()).toBe(goJson(special));
});

it('finds what is escaped wherever it stands among four bytes', () => {
  const chunk = fc.constantFrom(
    'a',
    'bcd',
    '"',
    '&',
    '<',
    '>',
    '\\',
    '\n',
    '\0',
    '\u001f',
    ' ',
    '~',
    '\u007f',
    '\u0080',
    'é',
    '\u2028',
    '\u2030',
    '漢',
    '😀',
  );
  fc.assert(
    fc.property(fc.array(chunk, { maxLength: 80, size: 'max' }), (chunks) => {
      const text = chunks.join('');
      expect(encodeLarge(utf8(text)).toString()).toBe(goJson(text));
    }),
    { numRuns: 5000 },
  );
});

it('makes one replacement of each invalid byte', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60, size: 'max' }), (bytes) => {
      expect(JSON.parse(encodeLarge(bytes).toString())).toBe(decodeGoUtf8(Buffer.from(bytes)));
    }),
    { numRuns: 2000 },
  );
  expect(encodeLarge(Uint8Array.of(0xe4, 0xb8, 0xef, 0xbf, 0xbd)).toString()).toBe('"\\ufffd\\ufffd\ufffd"');
});

it('reads valid text as it is, and among bytes that are none', () => {
  fc.assert(
    fc.property(fc.string({ unit: codePoint, maxLength: 40, size: 'max' }), (text) => {
      expect(decodeGoUtf8(Buffer.from(text))).toBe(text);
      expect(decodeGoUtf8(Buffer.from(`\xff${Buffer.from(text).toString('latin1')}\xc3`, 'latin1'))).toBe(
        `\ufffd${text}\ufffd`,
      );
    }),
  );
});

it('is cut anywhere and stays the same', () => {
  const text = `${'line of text "quoted" \u2028 é 漢 😀 \u0001\n'.repeat(20_000)}end`;
  const bytes = utf8(text);
  expect(encodeLarge(bytes).toString()).toBe(goJson(text));
  for (const chunk of encodeChunks(bytes, Buffer.allocUnsafe))
    expect(chunk.length).toBeLessThanOrEqual(128 * 1024);
  const nothingButEscapes = new Uint8Array(300_000); // the longest that a byte can become
  expect(encodeLarge(nothingButEscapes).length).toBe(6 * 300_000 + 2);
});
