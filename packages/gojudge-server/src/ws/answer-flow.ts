/** What goes out on one WebSocket, and its end when nobody takes it. */
import type { Socket } from 'node:net';
import { LEAST_UNSENT_BYTES, MESSAGE_COST_BYTES, StallWatch, type Unsent } from '@sbx/serving';
import type { WebSocket } from 'ws';
import type { ReadGate } from './read-gate.js';

/**
 * A client that takes nothing for so long is gone. go-judge gives each message 10 s; but the kernel tells of
 * room only when there is much of it again, which at 60 kB a second takes as long.
 */
const STALL_MS = 30_000;
/** Of answers that wait; beyond, no further requests are read, which would bring more of them. */
const WAITING_BYTES_MAX = 16 * 2 ** 20;

export interface FlowOptions {
  unsent: Unsent;
  gate: ReadGate;
  /** The peer has taken something. */
  alive: () => void;
  stallMs?: number;
}

export class AnswerFlow {
  readonly #socket: WebSocket;
  readonly #connection: Socket;
  readonly #unsent: Unsent;
  readonly #gate: ReadGate;
  readonly #stall: StallWatch;
  #waitingBytes = 0;

  constructor(socket: WebSocket, connection: Socket, options: FlowOptions) {
    const { unsent, gate, alive, stallMs = STALL_MS } = options;
    this.#socket = socket;
    this.#connection = connection;
    this.#unsent = unsent;
    this.#gate = gate;
    this.#stall = new StallWatch({
      connection: () => connection,
      isWaiting: () => socket.bufferedAmount > 0,
      stallMs,
      onStall: () => socket.terminate(),
      onProgress: alive,
    });
  }

  /** `sent` is called when it has left, or the peer is gone. */
  send(message: string | Uint8Array, binary: boolean, sent: () => void): void {
    const bytes = message.length + MESSAGE_COST_BYTES;
    this.#waitingBytes += bytes;
    this.#unsent.hold(this.#connection, bytes);
    this.#socket.send(message, { binary }, () => {
      this.#waitingBytes -= bytes;
      this.#unsent.release(this.#connection, bytes);
      sent();
    });
    this.#stall.watch();
  }

  /**
   * Of a request of many: a client that does not read them gets no more of them; while clients leave more
   * lying than all together may, none gets more than a little.
   */
  answer(message: string | Buffer): void {
    this.send(message, false, () => {
      if (this.#waitingBytes <= this.#waitingBytesMax / 2) this.#gate.open(this);
    });
    if (this.#waitingBytes > this.#waitingBytesMax) this.#gate.close(this);
  }

  get #waitingBytesMax(): number {
    return this.#unsent.hasRoom ? WAITING_BYTES_MAX : 2 * LEAST_UNSENT_BYTES;
  }

  stop(): void {
    this.#stall.stop();
  }
}
