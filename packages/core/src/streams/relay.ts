/** A pipe between two programs that passes through the host, which keeps the beginning of what went by. */
import type { Native } from '../native.js';
import { InputStream } from './input.js';
import { Output } from './output.js';
import { OutputStream } from './output-stream.js';

export class Relay {
  readonly #source: OutputStream;
  readonly #sink: InputStream;
  readonly #maxBytes: number;
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #totalBytes = 0;
  readonly #over: Promise<void>;

  /** Takes over both descriptors. */
  constructor(native: Native, read: number, write: number, maxBytes: number) {
    this.#source = new OutputStream(native, read);
    this.#sink = new InputStream(native, write);
    this.#maxBytes = maxBytes;
    this.#over = this.#pass();
  }

  /** What went by, once the writing program has ended. */
  async finish(): Promise<Output> {
    await this.#over;
    return new Output(Buffer.concat(this.#kept), this.#totalBytes);
  }

  close(): void {
    this.#source.destroy();
    this.#sink.destroy();
  }

  /** Ends when the writer closes its side, or the reader does: then the writer gets EPIPE, as from a pipe. */
  async #pass(): Promise<void> {
    for await (const chunk of this.#source) {
      this.#keep(chunk);
      const stopped = await this.#sink.write(chunk).then(
        () => false,
        () => true,
      );
      if (stopped) break;
    }
    this.close();
  }

  #keep(chunk: Uint8Array): void {
    this.#totalBytes += chunk.byteLength;
    const room = this.#maxBytes - this.#keptBytes;
    if (room <= 0) return;
    const part = chunk.subarray(0, room);
    this.#kept.push(part);
    this.#keptBytes += part.byteLength;
  }
}
