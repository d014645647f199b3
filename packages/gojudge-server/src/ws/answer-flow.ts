/** What goes out on one WebSocket, and its end when nobody takes it. */
import { type Sending, StallWatch } from '@sbx/serving';
import type { WebSocket } from 'ws';

/**
 * A client that takes nothing for so long is gone. go-judge gives each message 10 s; but the kernel tells of
 * room only when there is much of it again, which at 60 kB a second takes as long.
 */
const STALL_MS = 30_000;
/** Of answers that wait; beyond, no further requests are read, which would bring more of them. */
const WAITING_BYTES_MAX = 16 * 2 ** 20;

export class AnswerFlow {
  readonly #socket: WebSocket;
  readonly #stall: StallWatch;

  /** `alive`: the peer has taken something. */
  constructor(socket: WebSocket, alive: () => void, stallMs = STALL_MS) {
    this.#socket = socket;
    this.#stall = new StallWatch({
      connection: () => (socket as unknown as { _socket?: Sending | null })._socket,
      isWaiting: () => socket.bufferedAmount > 0,
      stallMs,
      onStall: () => socket.terminate(),
      onProgress: alive,
    });
  }

  /** `sent` is called when it has left, or the peer is gone. */
  send(message: string | Uint8Array, binary: boolean, sent: () => void): void {
    this.#socket.send(message, { binary }, sent);
    this.#stall.watch();
  }

  /** Of a request of many: a client that does not read them gets no more of them. */
  answer(message: string | Buffer): void {
    this.send(message, false, () => {
      if (this.#socket.isPaused && this.#socket.bufferedAmount <= WAITING_BYTES_MAX / 2)
        this.#socket.resume();
    });
    if (this.#socket.bufferedAmount > WAITING_BYTES_MAX) this.#socket.pause();
  }

  stop(): void {
    this.#stall.stop();
  }
}
