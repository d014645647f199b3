/** Texts that go-judge's clients see are Go's: how it quotes, and how it reads bytes that are not UTF-8. */

/** U+FFFD. */
export const REPLACEMENT = 0xfffd;

const NAMED: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
};

/** As `%q` of a string. */
export function quoteGo(text: string): string {
  let quoted = '';
  for (const char of text) quoted += char === '"' ? '\\"' : escapeChar(char);
  return `"${quoted}"`;
}

/** As encoding/json names the byte that it stumbled over, read as Latin-1. */
export function quoteByte(byte: number): string {
  const char = String.fromCharCode(byte);
  if (char === "'") return "'\\''";
  return char === '"' ? "'\"'" : `'${escapeChar(char)}'`;
}

function escapeChar(char: string): string {
  const code = char.codePointAt(0)!;
  if (char === '\\') return '\\\\';
  if (NAMED[code] !== undefined) return NAMED[code];
  if (code < 0x20 || code === 0x7f) return `\\x${hex(code, 2)}`;
  if (code < 0x80 || /^[\p{L}\p{M}\p{N}\p{P}\p{S}]$/u.test(char)) return char;
  return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}

/**
 * As UTF-8, each single byte that does not fit being one U+FFFD: WHATWG decoders take cut sequences together.
 * Of valid UTF-8 it is the text, which `toString` makes faster.
 */
export function decodeGoUtf8(buffer: Buffer): string {
  // Units first: a string that is put together from millions of pieces is a tree of 32 bytes for each.
  const units = new Uint16Array(buffer.length);
  let written = 0;
  for (let at = 0; at < buffer.length; ) {
    const first = buffer[at]!;
    const length = first < 0x80 ? 1 : sequenceLength(buffer, at);
    if (length === 1) units[written++] = first;
    else if (length === 0) units[written++] = REPLACEMENT;
    else written = putUnits(units, written, codePoint(buffer, at, length));
    at += length || 1;
  }
  return Buffer.from(units.buffer, 0, written * 2).toString('utf16le');
}

/** Of the sequence of two to four bytes at `at`. */
function codePoint(bytes: Uint8Array, at: number, length: number): number {
  let code = bytes[at]! & (0x7f >> length);
  for (let next = 1; next < length; next += 1) code = (code << 6) | (bytes[at + next]! & 0x3f);
  return code;
}

/** One unit, or two beyond U+FFFF; where the next goes. */
function putUnits(units: Uint16Array, written: number, code: number): number {
  if (code <= 0xffff) {
    units[written] = code;
    return written + 1;
  }
  units[written] = 0xd800 | ((code - 0x10000) >> 10);
  units[written + 1] = 0xdc00 | (code & 0x3ff);
  return written + 2;
}

/** Second byte's range by first byte, where it is narrower than 80–BF (RFC 3629). */
const SECOND: Readonly<Record<number, readonly [number, number]>> = {
  224: [0xa0, 0xbf],
  237: [0x80, 0x9f],
  240: [0x90, 0xbf],
  244: [0x80, 0x8f],
};

/** Length of the character at `at`; 0 when its first byte begins none. */
export function sequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at]!;
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  const [low, high] = SECOND[first] ?? [0x80, 0xbf];
  if (bytes[at + 1]! < low || bytes[at + 1]! > high) return 0;
  for (let next = 2; next < length; next += 1) if ((bytes[at + next]! & 0xc0) !== 0x80) return 0;
  return length;
}
