/** A stream of bytes, by as many as are wanted. Long archives are read in turns. */
import { Turns } from './turns.js';

const NO_BYTES = Buffer.alloc(0);

export interface ByteSource {
  /** The next chunk, `null` at the end. */
  next(): Promise<Buffer | null>;
  /** Throws when no more is wanted; asked after a turn of others. */
  check(): void;
}

export class ByteReader {
  readonly #source: ByteSource;
  readonly #turns = new Turns();
  #chunk: Buffer = NO_BYTES;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** At least one byte and at most so many, as they lie in the source's chunk; `null` at its end. */
  async some(bytesMax: number): Promise<Buffer | null> {
    if (this.#turns.isOver) {
      await this.#turns.next();
      this.#source.check();
    }
    while (this.#chunk.byteLength === 0) {
      const next = await this.#source.next();
      if (next === null) return null;
      this.#chunk = next;
    }
    const taken = this.#chunk.subarray(0, bytesMax);
    this.#chunk = this.#chunk.subarray(taken.byteLength);
    return taken;
  }

  /** Exactly so many bytes; `null` when the source ends before. */
  async take(byteCount: number): Promise<Buffer | null> {
    const first = await this.some(byteCount);
    if (first === null || first.byteLength === byteCount) return first;
    const bytes = Buffer.allocUnsafe(byteCount);
    bytes.set(first);
    for (let at = first.byteLength; at < byteCount; ) {
      const chunk = await this.some(byteCount - at);
      if (chunk === null) return null;
      bytes.set(chunk, at);
      at += chunk.byteLength;
    }
    return bytes;
  }
}
