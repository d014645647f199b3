import { textOf } from './text.js';

/**
 * The bytes that a program wrote to one descriptor, collected up to a bound. Bytes are the truth; text is a
 * view that is decoded at the first look and kept.
 */
export class Output {
  /** The bytes kept: the first ones, up to the bound. */
  readonly bytes: Uint8Array;
  /** Number of bytes that the program wrote as far as they were read, the dropped part included. */
  readonly totalBytes: number;
  /**
   * With `collect: { as: 'fd' }`: the file, open for reading at its start; yours to close. `bytes` is empty
   * then. It keeps the whole file system of its sandbox in memory, so copy what is to be kept. Else `null`.
   */
  readonly fd: number | null;
  readonly #keptBytes: number;
  #text: string | undefined;

  /**
   * `totalBytes` is the size of `bytes` unless some were dropped. `held`: the content is behind a descriptor
   * instead.
   */
  constructor(
    bytes: Uint8Array,
    totalBytes: number = bytes.byteLength,
    held: { fd: number; maxBytes: number } | null = null,
  ) {
    this.bytes = bytes;
    this.totalBytes = totalBytes;
    this.fd = held === null ? null : held.fd;
    this.#keptBytes = held === null ? bytes.byteLength : Math.min(totalBytes, held.maxBytes);
  }

  /** Bytes that came and were not kept; behind a descriptor, those beyond the bound. */
  get droppedBytes(): number {
    return this.totalBytes - this.#keptBytes;
  }

  /** Whether anything was dropped. */
  get truncated(): boolean {
    return this.totalBytes > this.#keptBytes;
  }

  /**
   * As UTF-8; each invalid sequence becomes U+FFFD, a character cut by the bound included. A byte order mark
   * stays.
   */
  text(): string {
    if (this.#text === undefined) this.#text = textOf(this.bytes);
    return this.#text;
  }

  /** Same as `text()`. */
  toString(): string {
    return this.text();
  }

  /** Sizes only: output may be large, binary or not meant for logs. */
  toJSON(): { keptBytes: number; totalBytes: number; droppedBytes: number; truncated: boolean } {
    const { totalBytes, droppedBytes, truncated } = this;
    return { keptBytes: this.#keptBytes, totalBytes, droppedBytes, truncated };
  }
}

/** Nothing was written. Shared, since most programs leave stderr empty. */
export const EMPTY_OUTPUT: Output = new Output(new Uint8Array(0));
Object.freeze(EMPTY_OUTPUT);
