/**
 * Bytes from a client on their way to a program: kept in order, bounded, dropped when nobody reads them any
 * more.
 */
import type { ProgramInput } from '@sbx/core';
import type { WebSocket } from 'ws';

/** Beyond, the socket is not read: the client waits. */
const HELD_BYTES_MAX = 1024 * 1024;
/** A socket that is not read does not see its end; one that is written to does. */
const PROBE_MS = 100;

export class StreamInput {
  readonly #socket: WebSocket;
  #waiting: Uint8Array[] = [];
  #stream: ProgramInput | null = null;
  #heldBytes = 0;
  #closed = false;
  #probe: NodeJS.Timeout | null = null;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  /** Also before the program has started. */
  write(bytes: Uint8Array): void {
    if (this.#closed || bytes.byteLength === 0) return;
    this.#heldBytes += bytes.byteLength;
    if (this.#heldBytes > HELD_BYTES_MAX) this.#pause();
    if (this.#stream === null) this.#waiting.push(bytes);
    else this.#pass(this.#stream, bytes);
  }

  attach(stream: ProgramInput): void {
    this.#stream = stream;
    for (const bytes of this.#waiting.splice(0)) this.#pass(stream, bytes);
  }

  /** The program has ended. */
  close(): void {
    this.#closed = true;
    this.#waiting = [];
    this.#resume();
  }

  #pause(): void {
    this.#socket.pause();
    this.#probe ??= setInterval(() => this.#socket.ping(), PROBE_MS).unref();
  }

  #resume(): void {
    if (this.#probe !== null) clearInterval(this.#probe);
    this.#probe = null;
    this.#socket.resume();
  }

  #pass(stream: ProgramInput, bytes: Uint8Array): void {
    const taken = () => {
      this.#heldBytes -= bytes.byteLength;
      if (this.#heldBytes <= HELD_BYTES_MAX / 2) this.#resume();
    };
    stream.write(bytes).then(taken, () => {
      this.#closed = true; // its input is closed: what follows is nobody's
      taken();
    });
  }
}
