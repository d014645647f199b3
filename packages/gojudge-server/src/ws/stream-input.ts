/**
 * Bytes from a client on their way to a program: kept in order, bounded, dropped when nobody reads them any
 * more.
 */
import type { ProgramInput } from '@sbx/core';
import { MESSAGE_COST_BYTES } from '@sbx/serving';
import type { ReadGate } from './read-gate.js';

/** Of one input, with what each message costs. Beyond, the socket is not read: the client waits. */
const HELD_BYTES_MAX = 1024 * 1024;

export class StreamInput {
  readonly #gate: ReadGate;
  #waiting: Uint8Array[] = [];
  #stream: ProgramInput | null = null;
  #heldBytes = 0;
  #closed = false;

  constructor(gate: ReadGate) {
    this.#gate = gate;
  }

  /** Also before the program has started. */
  write(bytes: Uint8Array): void {
    if (this.#closed || bytes.byteLength === 0) return;
    this.#heldBytes += bytes.byteLength + MESSAGE_COST_BYTES;
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
      this.#heldBytes -= bytes.byteLength + MESSAGE_COST_BYTES;
      if (this.#heldBytes <= HELD_BYTES_MAX / 2) this.#gate.open(this);
    };
    stream.write(bytes).then(taken, () => {
      this.#closed = true; // its input is closed: what follows is nobody's
      taken();
    });
  }
}
