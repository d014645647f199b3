/** Cuts a multipart body at its boundaries, a chunk at a time: no part is ever held as a whole. */
import type { Readable } from 'node:stream';

/** The body is no upload: 400. */
export class MultipartError extends Error {
  override name = 'MultipartError';
}

const HEADER_BYTES_MAX = 64 * 1024;
const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
/** More than a delimiter with its line break needs. */
const SEAM_BYTES = 4096;
/** Blanks that may follow a delimiter in its line. */
const BLANKS_MAX = 1024;

type Found =
  | { kind: 'whole'; from: number; to: number; isEnd: boolean }
  | { kind: 'partial'; keepFrom: number };

export class Parts {
  readonly #chunks: AsyncIterator<Buffer>;
  /** Boundary as it stands at the beginning of a line. */
  readonly #delimiter: Buffer;
  /** The same with the line feed before it, which is nowhere else in it: a search never goes back. */
  readonly #lineDelimiter: Buffer;
  #buffer: Buffer = Buffer.alloc(0);
  #bodyOver = false;
  /** A chunk of which the first `at` bytes are in the buffer, as its end. */
  #ahead: { chunk: Buffer; at: number } | null = null;
  #state: 'preamble' | 'content' | 'at-headers' | 'end' = 'preamble';

  constructor(source: Readable, boundary: string) {
    this.#chunks = source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    this.#delimiter = Buffer.from(`--${boundary}`);
    this.#lineDelimiter = Buffer.from(`\n--${boundary}`);
  }

  /**
   * Headers of the next part, whose content must be read then; `null` after the closing boundary, the rest
   * being drained.
   */
  async next(): Promise<Buffer | null> {
    if (this.#state === 'preamble') for await (const _chunk of this.#until()); // said to be ignored
    if (this.#state === 'end') {
      while (await this.#more()) this.#buffer = Buffer.alloc(0);
      return null;
    }
    return this.#headers();
  }

  content(): AsyncGenerator<Uint8Array> {
    return this.#until();
  }

  /**
   * Everything before the next delimiter, the line break before it left out. A delimiter may also come at
   * once.
   */
  async *#until(): AsyncGenerator<Uint8Array> {
    let lineStart = true;
    for (;;) {
      const found = this.#find(lineStart);
      if (found.kind === 'whole') {
        if (found.from > 0) yield this.#buffer.subarray(0, found.from);
        this.#buffer = this.#buffer.subarray(found.to);
        this.#state = found.isEnd ? 'end' : 'at-headers';
        return;
      }
      if (found.keepFrom > 0) {
        yield this.#buffer.subarray(0, found.keepFrom);
        this.#buffer = this.#buffer.subarray(found.keepFrom);
        lineStart = false;
      }
      if (!(await this.#more())) throw new MultipartError('no closing boundary');
    }
  }

  /**
   * The first delimiter at the beginning of a line with the end of its line; or what must be kept until more
   * has come.
   */
  #find(lineStart: boolean): Found {
    const buffer = this.#buffer;
    const { length } = this.#delimiter;
    const isAtStart = lineStart && this.#delimiter.equals(buffer.subarray(0, length));
    for (let at = isAtStart ? 0 : this.#lineFrom(0); at >= 0; at = this.#lineFrom(at)) {
      const from = at === 0 ? 0 : at - (buffer[at - 2] === CR ? 2 : 1);
      const line = this.#restOfLine(at + length);
      if (line === 'more') return { kind: 'partial', keepFrom: from };
      if (line !== 'none') return { kind: 'whole', from, ...line };
    }
    return { kind: 'partial', keepFrom: Math.max(0, buffer.length - length - 2) };
  }

  /** Where the next line after `from` begins with the delimiter, or -1. */
  #lineFrom(from: number): number {
    const at = this.#buffer.indexOf(this.#lineDelimiter, from);
    return at < 0 ? -1 : at + 1;
  }

  #restOfLine(at: number): { to: number; isEnd: boolean } | 'more' | 'none' {
    const buffer = this.#buffer;
    if (buffer[at] === DASH && buffer[at + 1] === DASH) return { to: at + 2, isEnd: true };
    let end = at;
    while (buffer[end] === 0x20 || buffer[end] === 0x09) end += 1;
    if (buffer[end] === CR) end += 1;
    if (buffer[end] === LF) return { to: end + 1, isEnd: false };
    const isCutOff = end >= buffer.length || (end === at && buffer[at] === DASH && at + 1 === buffer.length);
    return isCutOff && end - at < BLANKS_MAX && !this.#bodyOver ? 'more' : 'none';
  }

  async #headers(): Promise<Buffer> {
    for (;;) {
      const end = /^\r?\n|\r?\n\r?\n/.exec(this.#buffer.toString('latin1', 0, HEADER_BYTES_MAX));
      if (end !== null) {
        const headers = this.#buffer.subarray(0, end.index);
        // The line break that ends the headers may belong to a delimiter that follows at once: an empty part.
        this.#buffer = this.#buffer.subarray(end.index + end[0].length);
        this.#state = 'content';
        return headers;
      }
      if (this.#buffer.length >= HEADER_BYTES_MAX) throw new MultipartError('headers of a part are too long');
      if (!(await this.#more())) throw new MultipartError('no closing boundary');
    }
  }

  /**
   * Appends what comes. A little that was kept is put before the beginning of a chunk only: its rest is used
   * where it is.
   */
  async #more(): Promise<boolean> {
    if (this.#ahead !== null) {
      const { chunk, at } = this.#ahead;
      this.#ahead = null;
      const kept = this.#buffer.length; // the same bytes stand before the rest
      this.#buffer =
        kept <= at ? chunk.subarray(at - kept) : Buffer.concat([this.#buffer, chunk.subarray(at)]);
      return true;
    }
    if (this.#bodyOver) return false;
    const { value, done } = await this.#chunks.next();
    if (done) {
      this.#bodyOver = true;
      return false;
    }
    if (this.#buffer.length === 0) this.#buffer = value;
    else if (value.length > 2 * SEAM_BYTES && this.#buffer.length <= SEAM_BYTES) {
      this.#buffer = Buffer.concat([this.#buffer, value.subarray(0, SEAM_BYTES)]);
      this.#ahead = { chunk: value, at: SEAM_BYTES };
    } else this.#buffer = Buffer.concat([this.#buffer, value]);
    return true;
  }
}
