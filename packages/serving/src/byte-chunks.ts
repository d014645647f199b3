/**
 * Bytes that come in chunks of whatever size their sender likes: a `Buffer` takes some 350 bytes beside what
 * is in it, so a body whose chunks have one byte each would take 350 times what it is counted with.
 */

/** Smaller chunks are copied: one that is kept also keeps the read it came with, of up to 64 KiB. */
const LARGE_CHUNK_BYTES = 16 * 1024;
const FIRST_PAGE_BYTES = 1024;
const LAST_PAGE_BYTES = 64 * 1024;

const EMPTY = Buffer.alloc(0);

export class ByteChunks {
  #whole: Uint8Array[] = [];
  /** Small chunks, from `#from` to `#to`; what is before `#from` is in `#whole` already. */
  #page = EMPTY;
  #from = 0;
  #to = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** The chunk must not change any more. */
  add(chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    if (chunk.byteLength < LARGE_CHUNK_BYTES) return this.#copy(chunk);
    this.#endRow();
    this.#whole.push(chunk);
  }

  /** All that came since the last call, in order. */
  take(): Uint8Array[] {
    this.#endRow();
    const taken = this.#whole;
    this.#whole = [];
    this.#bytes = 0;
    return taken;
  }

  /** The same in one. */
  takeJoined(): Buffer {
    const [first = EMPTY, ...others] = this.take();
    if (others.length > 0) return Buffer.concat([first, ...others]);
    return Buffer.from(first.buffer, first.byteOffset, first.byteLength);
  }

  #copy(chunk: Uint8Array): void {
    if (chunk.byteLength > this.#page.length - this.#to) this.#grow(chunk.byteLength);
    this.#page.set(chunk, this.#to);
    this.#to += chunk.byteLength;
  }

  /** A page that can still grow is copied into a larger one; another stays as it is, and a new one begins. */
  #grow(bytes: number): void {
    const row = this.#page.subarray(this.#from, this.#to);
    const isFull = row.length + bytes > LAST_PAGE_BYTES;
    if (isFull) this.#endRow();
    const kept = isFull ? EMPTY : row;
    const wanted = Math.max(FIRST_PAGE_BYTES, 2 * kept.length, kept.length + bytes);
    this.#page = Buffer.allocUnsafeSlow(Math.min(LAST_PAGE_BYTES, wanted));
    this.#page.set(kept);
    this.#from = 0;
    this.#to = kept.length;
  }

  #endRow(): void {
    if (this.#to > this.#from) this.#whole.push(this.#page.subarray(this.#from, this.#to));
    this.#from = this.#to;
  }
}
