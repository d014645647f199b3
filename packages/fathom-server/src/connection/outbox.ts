/**
 * What goes out on one connection. Control messages go at once. Output goes while little is on its way, one
 * message of each execution in turn, so that whatever the programs write, a status or a pong has at most
 * `bufferBytes` before it. While clients leave more lying than all of them together may, each has little.
 */
import { LEAST_UNSENT_BYTES, MESSAGE_COST_BYTES, StallWatch, type Taker, type Unsent } from '@sbx/serving';
import type { WebSocket } from 'ws';
import type { Outlet } from '../execution/output.js';

export interface OutboxOptions {
  /** What all connections have on their way. */
  unsent: Unsent;
  /** More on its way is no room for output. */
  bufferBytes: number;
  /** Without any progress for so long while there is no room, the peer counts as gone. */
  stallMs: number;
  onStall: () => void;
  /** The peer has taken something. */
  onProgress: () => void;
}

/**
 * Control messages may pile up so far above the buffer before nothing more is read from the peer that causes
 * them.
 */
const CONTROL_BYTES = 1024 * 1024;
const TEXT = { binary: false, compress: false } as const;

/**
 * What `ws` and Node know of bytes on their way. `_socket` is the public `net.Socket` behind a `ws`
 * connection.
 */
interface Insides {
  _socket: Taker & { cork(): void; uncork(): void };
}

export class Outbox implements Outlet {
  readonly #socket: WebSocket;
  readonly #options: OutboxOptions;
  readonly #connection: Insides['_socket'];
  /** In the order of their turns. */
  readonly #waiting = new Set<() => void>();
  /** Messages that are not made yet, in their order. */
  readonly #later: (() => string)[] = [];
  readonly #stall: StallWatch;
  /** Messages that have not left. */
  #unsentCount = 0;
  /** Of what all connections have on their way. */
  #heldBytes = 0;
  #isLeaving = false;
  #isStopped = false;

  constructor(socket: WebSocket, options: OutboxOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#connection = (socket as unknown as Insides)._socket;
    const { stallMs, onStall, onProgress } = options;
    this.#stall = new StallWatch({
      connection: () => this.#connection,
      isWaiting: () => this.#isFull,
      stallMs,
      onStall,
      onProgress,
    });
  }

  /**
   * Sends a message that is made only at the end of this turn of the loop: what the turn sets going goes
   * meanwhile.
   */
  sendLater(make: () => string): void {
    this.#leaveSoon();
    this.#later.push(make);
  }

  /**
   * Sends a message, made when those before it have been; what is said in one turn of the loop leaves
   * together, at its end.
   */
  send(make: () => string): void {
    this.#leaveSoon();
    this.#makeLate();
    this.#write(make);
  }

  hasRoom(): boolean {
    return this.#isStopped || (this.#waiting.size === 0 && !this.#isFull);
  }

  whenRoom(callback: () => void): () => void {
    if (this.#isStopped) callback();
    else this.#waiting.add(callback);
    return () => void this.#waiting.delete(callback);
  }

  /** The connection is gone: nobody waits any more. */
  stop(): void {
    this.#isStopped = true;
    this.#count(0);
    this.#stall.stop();
    for (const callback of this.#waiting) this.#callBack(callback);
  }

  /** From now on the socket holds what it is given, until the end of this turn of the loop. */
  #leaveSoon(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#connection.cork();
    setImmediate(() => this.#leave());
  }

  #makeLate(): void {
    for (const make of this.#later.splice(0)) this.#write(make);
  }

  #write(make: () => string): void {
    if (this.#isStopped) return;
    const { unsent, bufferBytes } = this.#options;
    this.#unsentCount += 1;
    this.#socket.send(make(), TEXT, this.#onFlushed);
    if (this.#isFull) this.#stall.watch();
    const bytesMax = unsent.hasRoom ? bufferBytes + CONTROL_BYTES : LEAST_UNSENT_BYTES;
    if (this.#unsentBytes > bytesMax) this.#socket.pause();
  }

  /** All in one write, which takes longer than what a turn of the loop sets going. */
  #leave(): void {
    this.#isLeaving = false;
    this.#makeLate();
    this.#connection.uncork();
    if (!this.#isStopped && this.#socket.bufferedAmount > 0) this.#count(this.#unsentBytes);
  }

  /** What the kernel did not take at once, which many small messages make more than their bytes. */
  get #unsentBytes(): number {
    return this.#socket.bufferedAmount + this.#unsentCount * MESSAGE_COST_BYTES;
  }

  #count(bytes: number): void {
    const { unsent } = this.#options;
    if (bytes > this.#heldBytes) unsent.hold(this.#connection, bytes - this.#heldBytes);
    else if (bytes < this.#heldBytes) unsent.release(this.#connection, this.#heldBytes - bytes);
    this.#heldBytes = bytes;
  }

  get #isFull(): boolean {
    const { unsent, bufferBytes } = this.#options;
    const { bufferedAmount } = this.#socket;
    return bufferedAmount >= (unsent.hasRoom ? bufferBytes : Math.min(bufferBytes, LEAST_UNSENT_BYTES));
  }

  readonly #onFlushed = (): void => {
    this.#unsentCount -= 1;
    if (this.#heldBytes > 0) this.#count(this.#unsentBytes);
    if (this.#socket.isPaused && !this.#isFull) this.#socket.resume();
    for (const callback of this.#waiting) {
      if (this.#isFull) break;
      this.#callBack(callback);
    }
  };

  #callBack(callback: () => void): void {
    this.#waiting.delete(callback);
    callback();
  }
}
