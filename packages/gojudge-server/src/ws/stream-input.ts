/**
 * Bytes from a client on their way to a program: kept in order, bounded, dropped when nobody reads them any
 * more.
 */
import type { ProgramInput } from '@sbx/core';
import type { WebSocket } from 'ws';

/** Of one input. Beyond, the socket is not read: the client waits. */
const HELD_BYTES_MAX = 1024 * 1024;
/** A socket that is not read does not see its end; one that is written to does. */
const PROBE_MS = 100;

/**
 * Whether a socket is read, which all inputs of its programs share: not while any of them is full, however
 * much room the others have.
 */
export class InputGate {
  readonly #socket: WebSocket;
  readonly #full = new Set<StreamInput>();
  #probe: NodeJS.Timeout | null = null;

  constructor(socket: WebSocket) {
    this.#socket = socket;
  }

  close(full: StreamInput): void {
    this.#full.add(full);
    this.#socket.pause();
    this.#probe ??= setInterval(() => this.#socket.ping(), PROBE_MS).unref();
  }

  /** Safe to call for one that was not full. */
  open(input: StreamInput): void {
    if (!this.#full.delete(input) || this.#full.size > 0) return;
    if (this.#probe !== null) clearInterval(this.#probe);
    this.#probe = null;
    this.#socket.resume();
  }
}

export class StreamInput {
  readonly #gate: InputGate;
  #waiting: Uint8Array[] = [];
  #stream: ProgramInput | null = null;
  #heldBytes = 0;
  #closed = false;

  constructor(gate: InputGate) {
    this.#gate = gate;
  }

  /** Also before the program has started. */
  write(bytes: Uint8Array): void {
    if (this.#closed || bytes.byteLength === 0) return;
    this.#heldBytes += bytes.byteLength;
    if (this.#heldBytes > HELD_BYTES_MAX) this.#gate.close(this);
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
    this.#gate.open(this);
  }

  #pass(stream: ProgramInput, bytes: Uint8Array): void {
    const taken = () => {
      this.#heldBytes -= bytes.byteLength;
      if (this.#heldBytes <= HELD_BYTES_MAX / 2) this.#gate.open(this);
    };
    stream.write(bytes).then(taken, () => {
      this.#closed = true; // its input is closed: what follows is nobody's
      taken();
    });
  }
}
