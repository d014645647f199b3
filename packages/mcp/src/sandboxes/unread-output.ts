/** What a process wrote and nobody has read: the last of it, within a bound. */
import { leftOut, type ShownText } from '../shown-text.js';

export class UnreadOutput {
  readonly #bytesMax: number;
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Twice the bound: what is kept moves to its beginning only once it has come to its end. */
  #buffer: Uint8Array | null = null;
  #start = 0;
  #end = 0;
  #lostBytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get isEmpty(): boolean {
    return this.#start === this.#end;
  }

  /** Whether something was lost since the last reading. */
  get hasLost(): boolean {
    return this.#lostBytes > 0;
  }

  push(chunk: Uint8Array): void {
    const kept = chunk.subarray(-this.#bytesMax);
    this.#buffer ??= new Uint8Array(2 * this.#bytesMax);
    if (this.#end + kept.byteLength > this.#buffer.byteLength) {
      this.#buffer.copyWithin(0, this.#start, this.#end);
      this.#end -= this.#start;
      this.#start = 0;
    }
    this.#buffer.set(kept, this.#end);
    this.#end += kept.byteLength;
    const surplus = Math.max(0, this.#end - this.#start - this.#bytesMax);
    this.#start += surplus;
    this.#lostBytes += chunk.byteLength - kept.byteLength + surplus;
  }

  /** The beginning of a character stays for the next reading, unless this `isLast`. */
  read(isLast: boolean): ShownText {
    const bytes = this.#buffer?.subarray(this.#start, this.#end);
    const text = this.#decoder.decode(bytes, { stream: !isLast });
    const cutBytes = this.#lostBytes;
    this.#start = 0;
    this.#end = 0;
    this.#lostBytes = 0;
    return { text: cutBytes === 0 ? text : `${leftOut(cutBytes)}\n${text}`, cutBytes };
  }
}
