/** A body in chunks (RFC 9112, section 7.1): that of an answer too large to be made in one. */
import type { Socket } from 'node:net';
import type { Chunks } from '../../../wire/results.js';
import { type ChunkSink, sendChunks } from '../chunks.js';

/** Resolves with the body's size when the kernel has all of it, or the client is gone. */
export async function sendChunked(socket: Socket, body: Chunks): Promise<number> {
  const chunked = new Chunked(socket);
  await sendChunks(chunked, body);
  return chunked.bytes;
}

class Chunked implements ChunkSink {
  bytes = 0;
  readonly #socket: Socket;
  #listener: () => void = () => undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
  }

  get destroyed(): boolean {
    return this.#socket.destroyed;
  }

  write(chunk: Uint8Array, written: () => void): void {
    if (chunk.length === 0) return written(); // as a chunk it would be the end
    this.bytes += chunk.length;
    const socket = this.#socket;
    socket.cork();
    socket.write(`${chunk.length.toString(16)}\r\n`);
    socket.write(chunk);
    socket.write('\r\n', written);
    socket.uncork();
  }

  end(): void {
    this.#socket.write('0\r\n\r\n', () => {
      this.#socket.off('close', this.#listener);
      this.#listener();
    });
  }

  once(_event: 'close', listener: () => void): void {
    this.#listener = listener;
    this.#socket.once('close', listener);
  }
}
