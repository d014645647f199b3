/** A text that comes in chunks, put together once. */
import { TEXT_BYTES_MAX, textOf, textTooLong } from './text.js';

export class GrowingText {
  byteLength = 0;
  #chunks: Uint8Array[] = [];

  /** Throws `SBX_STREAM_TEXT_TOO_LONG` when it is more than a string can hold. */
  add(chunk: Uint8Array): void {
    this.byteLength += chunk.byteLength;
    if (this.byteLength > TEXT_BYTES_MAX) throw textTooLong(this.byteLength);
    if (chunk.byteLength > 0) this.#chunks.push(chunk);
  }

  /** The text, which is begun anew. */
  take(): string {
    const [only, ...others] = this.#chunks;
    this.#chunks = [];
    this.byteLength = 0;
    if (only === undefined) return '';
    return textOf(others.length === 0 ? only : Buffer.concat([only, ...others]));
  }
}
