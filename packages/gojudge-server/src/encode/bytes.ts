/** Large outputs to JSON, byte by byte into one buffer: no string of them is ever made. */
import { isUtf8 } from 'node:buffer';
import { sequenceLength } from '../decode/go-text.js';

/** What a byte becomes: 0 itself, 1 an escape, 2 is looked at with what follows it. */
const PLAIN = 0;
const ESCAPED = 1;
const LOOK = 2;
const LONGEST_ESCAPE = 6;
const QUOTE = 0x22;

const escapes: (Buffer | undefined)[] = [];
for (let code = 0; code < 0x20; code += 1)
  escapes[code] = Buffer.from(`\\u00${code.toString(16).padStart(2, '0')}`);
const NAMED: readonly [string, string][] = [
  ['\b', '\\b'],
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\f', '\\f'],
  ['\r', '\\r'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['<', '\\u003c'],
  ['>', '\\u003e'],
  ['&', '\\u0026'],
];
for (const [char, text] of NAMED) escapes[char.charCodeAt(0)] = Buffer.from(text);

const INVALID = Buffer.from('\\ufffd');
const LINE_SEPARATORS = [Buffer.from('\\u2028'), Buffer.from('\\u2029')];

/** In valid text only U+2028 and U+2029, which begin with E2, need a look; in other bytes everything beyond ASCII does. */
const VALID_TABLE = makeTable((byte) => (byte === 0xe2 ? LOOK : PLAIN));
const OTHER_TABLE = makeTable(() => LOOK);

function makeTable(beyondAscii: (byte: number) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte >= 0x80) return beyondAscii(byte);
    return escapes[byte] === undefined ? PLAIN : ESCAPED;
  });
}

/** A JSON string, its quotes included, as Go writes these bytes. */
export function encodeLarge(bytes: Uint8Array): Buffer {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const table = isUtf8(source) ? VALID_TABLE : OTHER_TABLE;
  const target = new Target(source.length);
  target.byte(QUOTE);
  let from = 0;
  for (let at = 0; at < source.length; ) {
    const kind = table[source[at]!]!;
    if (kind === PLAIN) {
      at += 1;
      continue;
    }
    const length = kind === ESCAPED ? 1 : sequenceLength(source, at);
    const text = kind === ESCAPED ? escapes[source[at]!]! : replacement(source, at, length);
    if (text !== null) {
      target.copy(source, from, at);
      target.text(text);
      from = at + (length || 1);
    }
    at += length || 1;
  }
  target.copy(source, from, source.length);
  target.byte(QUOTE);
  return target.done();
}

/** `null` for a character that stays as it is. */
function replacement(source: Buffer, at: number, length: number): Buffer | null {
  if (length === 0) return INVALID;
  if (length !== 3 || source[at] !== 0xe2 || source[at + 1] !== 0x80) return null;
  return LINE_SEPARATORS[source[at + 2]! - 0xa8] ?? null;
}

/** Grows as needed; text is mostly a little longer than its bytes. */
class Target {
  #buffer: Buffer;
  #at = 0;

  constructor(expected: number) {
    this.#buffer = Buffer.allocUnsafe(expected + (expected >> 3) + 64);
  }

  byte(value: number): void {
    this.#room(1);
    this.#buffer[this.#at++] = value;
  }

  text(text: Buffer): void {
    this.#room(LONGEST_ESCAPE);
    for (let index = 0; index < text.length; index += 1) this.#buffer[this.#at++] = text[index]!;
  }

  copy(source: Buffer, from: number, to: number): void {
    if (to <= from) return;
    this.#room(to - from);
    if (to - from > 32) this.#at += source.copy(this.#buffer, this.#at, from, to);
    else for (let at = from; at < to; at += 1) this.#buffer[this.#at++] = source[at]!;
  }

  done(): Buffer {
    return this.#buffer.subarray(0, this.#at);
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#at + bytes));
    this.#buffer.copy(larger, 0, 0, this.#at);
    this.#buffer = larger;
  }
}
