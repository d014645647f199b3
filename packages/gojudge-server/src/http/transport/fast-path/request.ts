/**
 * Requests that need no parser: a known request line, known headers, each of one meaning, and the body behind
 * them, all in as few reads as clients send them. Whatever else comes is for Node's parser to judge; so
 * nothing is refused here, and nothing is guessed. What is taken here is a small part of RFC 9112, strictly:
 * no other spaces, no other line ends, no byte beyond ASCII in the head.
 *
 * One pass over the bytes, and text is made of none but the path: by the time a request comes, a program has
 * run and little of this process is left in the caches, so what counts is how much code and data is touched.
 */
import type { EntryHeaders } from '../../entry.js';

export interface SimpleRequest {
  method: Method;
  /** Without a query or percent signs. */
  path: string;
  headers: EntryHeaders;
  bodyAt: number;
  bodyBytes: number;
}

type Method = 'GET' | 'POST' | 'DELETE';

/** Of a whole request; beyond that Node's parser is no part of the price. */
export const SIMPLE_BYTES_MAX = 64 * 1024;

const TAB = 9;
const LF = 10;
const CR = 13;
const SPACE = 32;
const HYPHEN = 45;
const SLASH = 47;
const DIGIT_0 = 48;
const DIGIT_9 = 57;
const COLON = 58;
const UNDERSCORE = 95;
const LETTER_A = 97;
const LETTER_Z = 122;
const TILDE = 126;
/** The bit that makes a capital letter small. */
const LOWER_CASE = 0x20;

const ascii = (text: string): Uint8Array => Buffer.from(text, 'latin1');

/** First words of the request line. */
const METHODS: readonly (readonly [Method, Uint8Array])[] = [
  ['POST', ascii('POST ')],
  ['GET', ascii('GET ')],
  ['DELETE', ascii('DELETE ')],
];
const VERSION_END = ascii(' HTTP/1.1\r\n');

/** What a header says that matters here. */
const IGNORED = 0;
const HOST = 1;
const AUTHORIZATION = 2;
const LENGTH = 3;
const CONNECTION = 4;

/**
 * The headers that may be there, beside those that begin with `x-`, which no standard knows. On the ignored
 * ones no answer of ours depends.
 */
const HEADERS: readonly (readonly [name: Uint8Array, meaning: number])[] = [
  [ascii('host'), HOST],
  [ascii('content-length'), LENGTH],
  [ascii('connection'), CONNECTION],
  [ascii('authorization'), AUTHORIZATION],
  [ascii('accept'), IGNORED],
  [ascii('accept-encoding'), IGNORED],
  [ascii('accept-language'), IGNORED],
  [ascii('cache-control'), IGNORED],
  [ascii('content-type'), IGNORED],
  [ascii('pragma'), IGNORED],
  [ascii('sec-fetch-mode'), IGNORED],
  [ascii('user-agent'), IGNORED],
];
const PREFIX = ascii('x-');
const KEEP_ALIVE = ascii('keep-alive');

/** `null` for a head that is cut off or not of this kind. The body may still be on its way. */
export function readSimpleRequest(bytes: Buffer): SimpleRequest | null {
  const method = METHODS.find(([, word]) => matches(bytes, 0, word));
  if (method === undefined) return null;
  const pathAt = method[1].length;
  const pathEnd = endOfPath(bytes, pathAt);
  if (pathEnd === pathAt || !matches(bytes, pathEnd, VERSION_END)) return null;
  const head = new Head(bytes);
  const end = head.read(pathEnd + VERSION_END.length);
  if (end < 0 || !head.isEnough(method[0])) return null;
  const bodyAt = end + 2;
  const bodyBytes = Math.max(0, head.length);
  if (bodyAt + bodyBytes > SIMPLE_BYTES_MAX) return null;
  const path = bytes.toString('latin1', pathAt, pathEnd);
  return { method: method[0], path, headers: head, bodyAt, bodyBytes };
}

/** The headers of one request, as places in its bytes. */
class Head implements EntryHeaders {
  /** -1: none was named. */
  length = -1;
  readonly #bytes: Buffer;
  readonly #begins = [-1, -1, -1, -1, -1];
  readonly #ends = [0, 0, 0, 0, 0];

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get host(): string | undefined {
    return this.#text(HOST);
  }

  get authorization(): string | undefined {
    return this.#text(AUTHORIZATION);
  }

  /** Who sends no length sends no body, but Go and Node differ in what they make of a POST without one. */
  isEnough(method: Method): boolean {
    return this.#begins[HOST]! >= 0 && (this.length >= 0 || method !== 'POST');
  }

  /** Where the empty line is, or -1 when it is not there or something is odd before it. */
  read(from: number): number {
    const bytes = this.#bytes;
    let at = from;
    while (at + 1 < bytes.length && bytes[at] !== CR) {
      const colon = endOfName(bytes, at);
      const meaning = colon < 0 ? -1 : meaningOf(bytes, at, colon);
      const end = meaning < 0 ? -1 : endOfValue(bytes, colon + 1);
      if (end < 0 || (meaning !== IGNORED && !this.#take(meaning, colon + 1, end))) return -1;
      at = end + 2;
    }
    return at + 1 < bytes.length && bytes[at + 1] === LF ? at : -1;
  }

  /** False for what comes twice or says something unusual. */
  #take(meaning: number, from: number, to: number): boolean {
    const bytes = this.#bytes;
    if (this.#begins[meaning]! >= 0) return false;
    let [begin, end] = [from, to];
    while (begin < end && isBlank(bytes[begin]!)) begin += 1;
    while (end > begin && isBlank(bytes[end - 1]!)) end -= 1;
    this.#begins[meaning] = begin;
    this.#ends[meaning] = end;
    if (meaning === CONNECTION) {
      return end - begin === KEEP_ALIVE.length && matchesInAnyCase(bytes, begin, KEEP_ALIVE);
    }
    if (meaning !== LENGTH) return true;
    this.length = numberAt(bytes, begin, end);
    return this.length >= 0;
  }

  #text(meaning: number): string | undefined {
    const begin = this.#begins[meaning]!;
    return begin < 0 ? undefined : this.#bytes.toString('latin1', begin, this.#ends[meaning]!);
  }
}

function matches(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  if (at + text.length > bytes.length) return false;
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/**
 * `text` is in small letters. In a name and in what is printed, the bit turns nothing else into a letter or a
 * hyphen.
 */
function matchesInAnyCase(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if ((bytes[at + index]! | LOWER_CASE) !== text[index]) return false;
  }
  return true;
}

/** Behind the letters, digits, `/`, `-` and `_` of a path, which begins with a slash. */
function endOfPath(bytes: Uint8Array, from: number): number {
  let at = from;
  if (at >= bytes.length || bytes[at] !== SLASH) return at;
  while (at < bytes.length && isPath(bytes[at]!)) at += 1;
  return at;
}

function isPath(byte: number): boolean {
  return isLetter(byte) || isDigit(byte) || byte === SLASH || byte === HYPHEN || byte === UNDERSCORE;
}

function isLetter(byte: number): boolean {
  const letter = byte | LOWER_CASE;
  return letter >= LETTER_A && letter <= LETTER_Z;
}

function isDigit(byte: number): boolean {
  return byte >= DIGIT_0 && byte <= DIGIT_9;
}

/** The colon behind a name of letters, digits and hyphens; -1 for any other name. */
function endOfName(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if (byte === COLON) return at;
    if (!isLetter(byte) && !isDigit(byte) && byte !== HYPHEN) return -1;
  }
  return -1;
}

/** The end of the line; -1 when it does not come, or there is no text before it. */
function endOfValue(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && ((bytes[at]! >= SPACE && bytes[at]! <= TILDE) || bytes[at] === TAB)) at += 1;
  return at + 1 < bytes.length && bytes[at] === CR && bytes[at + 1] === LF ? at : -1;
}

/** -1 for a header that may not be there. */
function meaningOf(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  if (length > 2 && matchesInAnyCase(bytes, from, PREFIX)) return IGNORED;
  for (const [name, meaning] of HEADERS) {
    if (name.length === length && matchesInAnyCase(bytes, from, name)) return meaning;
  }
  return -1;
}

/** A number of at most six digits, without leading zeros; else -1. */
function numberAt(bytes: Uint8Array, from: number, to: number): number {
  const digits = to - from;
  if (digits < 1 || digits > 6 || (digits > 1 && bytes[from] === DIGIT_0)) return -1;
  let value = 0;
  for (let at = from; at < to; at += 1) {
    if (!isDigit(bytes[at]!)) return -1;
    value = value * 10 + bytes[at]! - DIGIT_0;
  }
  return value;
}

function isBlank(byte: number): boolean {
  return byte === SPACE || byte === TAB;
}
