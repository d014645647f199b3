/**
 * Large outputs to JSON, byte by byte and in chunks: no string of them is ever made, and the first chunk
 * leaves before the last is made.
 */
import { isUtf8 } from 'node:buffer';
import { REPLACEMENT, sequenceLength } from './go-text.js';

/**
 * What a byte becomes: itself, a backslash and a character, `\\u00` and two digits, or it is looked at with
 * what follows it.
 */
const PLAIN = 0;
const SHORT = 1;
const LONG = 2;
const LOOK = 3;
const LONGEST_ESCAPE = 6;

const BACKSLASH = 0x5c;
const QUOTE = Buffer.from('"');
/** What is looked at in one go, and what is handed out in one chunk at the most. */
const BLOCK_BYTES = 2048;
const CHUNK_BYTES = 128 * 1024;

/** By byte, what stands behind its backslash. */
const SHORTS = new Uint8Array(256);
for (const [char, letter] of ['\bb', '\tt', '\nn', '\ff', '\rr', '""', '\\\\']) {
  SHORTS[char!.charCodeAt(0)] = letter!.charCodeAt(0);
}
const LONGS = '<>&';

/**
 * In valid text only U+2028 and U+2029, which begin with E2, need a look; in other bytes everything beyond
 * ASCII does.
 */
const VALID_TABLE = makeTable((byte) => (byte === 0xe2 ? LOOK : PLAIN));
const OTHER_TABLE = makeTable(() => LOOK);

function makeTable(beyondAscii: (byte: number) => number): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, byte) => {
    if (byte >= 0x80) return beyondAscii(byte);
    if (SHORTS[byte] !== 0) return SHORT;
    return byte < 0x20 || LONGS.includes(String.fromCharCode(byte)) ? LONG : PLAIN;
  });
}

/** Room for a chunk, so many bytes at the most. */
export type BufferPool = (bytes: number) => Buffer;

/**
 * A JSON string, its quotes included, as Go writes these bytes; each chunk is made, in a pool of its own,
 * when it is asked for.
 */
export function* encodeChunks(bytes: Uint8Array, pool: BufferPool): Generator<Buffer, void> {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const table = isUtf8(source) ? VALID_TABLE : OTHER_TABLE;
  const from = viewOf(source);
  const at: Position = { read: 0, written: 0 };
  yield QUOTE;
  while (at.read < source.length) {
    const chunk = pool(Math.min(CHUNK_BYTES, (source.length - at.read) * LONGEST_ESCAPE));
    const ends: Ends = { source, from, chunk, to: viewOf(chunk) };
    at.written = 0;
    do encodeBlock(ends, table, at);
    while (at.read < source.length && at.written + BLOCK_BYTES * LONGEST_ESCAPE <= chunk.length);
    yield chunk.subarray(0, at.written);
  }
  yield QUOTE;
}

/** Where bytes come from and where they go, each a second time as a view. */
interface Ends {
  source: Buffer;
  from: DataView;
  chunk: Buffer;
  to: DataView;
}

interface Position {
  read: number;
  written: number;
}

function viewOf({ buffer, byteOffset, byteLength }: Buffer): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}

/** The next block. Short enough to be called often, which is what makes V8 compile it well. */
function encodeBlock(ends: Ends, table: Uint8Array, at: Position): void {
  const { source, chunk } = ends;
  let { read, written } = at;
  const end = Math.min(source.length, read + BLOCK_BYTES);
  while (read < end) {
    const copied = copyAscii(ends, read, written, end);
    read += copied;
    written += copied;
    if (read === end) break;
    const byte = source[read]!;
    const kind = table[byte]!;
    if (kind === PLAIN) {
      const more = copyText(ends, read, written, end);
      read += more;
      written += more;
    } else if (kind === SHORT) {
      chunk[written++] = BACKSLASH;
      chunk[written++] = SHORTS[byte]!;
      read += 1;
    } else if (kind === LONG) {
      written = putEscape(chunk, written, byte);
      read += 1;
    } else {
      const length = sequenceLength(source, read);
      const unit = escapedUnit(source, read, length);
      if (unit !== 0) written = putEscape(chunk, written, unit);
      else written += source.copy(chunk, written, read, read + length);
      read += length || 1;
    }
  }
  at.read = read;
  at.written = written;
}

/**
 * The high bit of each of four bytes that is beyond ASCII or escaped. No table, no branch: of 0, less one,
 * the high bit is set. What is borrowed for that may mark the next byte for no reason, but none before the
 * first.
 */
function asciiSpecial(four: number): number {
  const quote = (four & ~0x04040404) ^ 0x22222222; // " &
  const angle = (four & ~0x02020202) ^ 0x3c3c3c3c; // < >
  const backslash = four ^ 0x5c5c5c5c;
  const control = four - 0x20202020;
  const marks = control | (quote - 0x01010101) | (angle - 0x01010101) | (backslash - 0x01010101);
  return (four | marks) & 0x80808080;
}

/** The same of valid text: beyond ASCII only E2 is marked. */
function textSpecial(four: number): number {
  const quote = (four & ~0x04040404) ^ 0x22222222;
  const angle = (four & ~0x02020202) ^ 0x3c3c3c3c;
  const backslash = four ^ 0x5c5c5c5c;
  const look = four ^ 0xe2e2e2e2;
  const marks =
    ((four - 0x20202020) & ~four) |
    ((quote - 0x01010101) & ~quote) |
    ((angle - 0x01010101) & ~angle) |
    ((backslash - 0x01010101) & ~backslash) |
    ((look - 0x01010101) & ~look);
  return marks & 0x80808080;
}

/**
 * Copies what stays as it is, up to the first byte beyond ASCII, four bytes at a time; how many. What is
 * written after them is written over.
 */
function copyAscii({ from, to }: Ends, start: number, target: number, end: number): number {
  let read = start;
  for (let written = target; read + 4 <= end; written += 4) {
    const four = from.getInt32(read, true);
    to.setInt32(written, four, true);
    const special = asciiSpecial(four);
    if (special !== 0) return read + lowestByte(special) - start;
    read += 4;
  }
  return read - start;
}

/**
 * Copies what stays as it is of valid text, of which there is a byte at least; how many. Of other bytes only
 * the last three of a block come here: the first that `copyAscii` stops at is escaped or beyond ASCII.
 */
function copyText({ source, from, chunk, to }: Ends, start: number, target: number, end: number): number {
  chunk[target] = source[start]!;
  let read = start + 1;
  for (let written = target + 1; read + 4 <= end; written += 4) {
    const four = from.getInt32(read, true);
    to.setInt32(written, four, true);
    const special = textSpecial(four);
    if (special !== 0) return read + lowestByte(special) - start;
    read += 4;
  }
  return read - start;
}

/** Which of the four is the first that is marked. */
function lowestByte(marks: number): number {
  return (31 - Math.clz32(marks & -marks)) >>> 3;
}

const HEX = Buffer.from('0123456789abcdef');

/** `\\u` and four digits; where the next byte goes. */
function putEscape(chunk: Buffer, written: number, unit: number): number {
  chunk[written] = BACKSLASH;
  chunk[written + 1] = 0x75;
  for (let digit = 0; digit < 4; digit += 1)
    chunk[written + 2 + digit] = HEX[(unit >>> (12 - 4 * digit)) & 0xf]!;
  return written + LONGEST_ESCAPE;
}

/**
 * What is escaped of a character beyond ASCII, or in place of a byte that begins none; 0 for one that stays
 * as it is.
 */
function escapedUnit(source: Buffer, at: number, length: number): number {
  if (length === 0) return REPLACEMENT;
  if (length !== 3 || source[at] !== 0xe2 || source[at + 1] !== 0x80) return 0;
  const unit = 0x2000 + (source[at + 2]! & 0x3f);
  return unit === 0x2028 || unit === 0x2029 ? unit : 0;
}
