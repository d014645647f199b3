/**
 * Reading by descriptor. A `ReadStream` would not do: when it is left early it closes a descriptor that is
 * not its own.
 */
import { closeSync, read } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const CHUNK_BYTES = 256 * 1024;
/** Between looks at something that has nothing to give yet. */
const EMPTY_WAIT_MS = 10;

const readFrom = promisify(read);

/**
 * A part of a regular file; fewer bytes when it has become shorter. The descriptor must stay open until this
 * has ended.
 */
export async function* readPart(fd: number, start: number, length: number): AsyncGenerator<Uint8Array> {
  for (let at = start; at < start + length; ) {
    const wanted = Math.min(CHUNK_BYTES, start + length - at);
    const { bytesRead, buffer } = await readFrom(fd, Buffer.allocUnsafe(wanted), 0, wanted, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * What is no regular file, as it comes. Whoever reads may stop at any time; `close` waits for a read that is
 * under way, since the number of a closed descriptor is somebody else's soon.
 */
export class LiveSource implements AsyncIterable<Uint8Array> {
  readonly #fd: number;
  #reading = false;
  #closed = false;

  /** The descriptor, which must not block, is its own from now on. */
  constructor(fd: number) {
    this.#fd = fd;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    while (!this.#closed) {
      const chunk = await this.#read();
      if (chunk === null) await delay(EMPTY_WAIT_MS);
      else if (chunk.byteLength === 0) return;
      else yield chunk;
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    if (!this.#reading) closeSync(this.#fd);
  }

  /** `null` when there is nothing yet. */
  async #read(): Promise<Uint8Array | null> {
    this.#reading = true;
    try {
      const { bytesRead, buffer } = await readFrom(
        this.#fd,
        Buffer.allocUnsafe(CHUNK_BYTES),
        0,
        CHUNK_BYTES,
        null,
      );
      return buffer.subarray(0, bytesRead);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return null;
      throw error;
    } finally {
      this.#reading = false;
      if (this.#closed) closeSync(this.#fd);
    }
  }
}
