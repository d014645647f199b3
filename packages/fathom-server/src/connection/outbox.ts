/**
 * What goes out on one connection. Control messages go at once. Output goes while little is on its way, one
 * message of each execution in turn, so that whatever the programs write, a status or a pong has at most
 * `bufferBytes` before it.
 */
import type { WebSocket } from 'ws';
import type { Outlet } from '../execution/output.js';

export interface OutboxOptions {
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
const CHECKS_PER_STALL = 10;
const TEXT = { binary: false, compress: false } as const;

/**
 * What `ws` and Node know of bytes on their way. `_socket` is the public `net.Socket` behind a `ws`
 * connection.
 */
interface Insides {
  _socket?: {
    cork(): void;
    uncork(): void;
    bytesWritten: number;
    writableLength: number;
    _handle?: { writeQueueSize?: number } | null;
  } | null;
}

export class Outbox implements Outlet {
  readonly #socket: WebSocket;
  readonly #options: OutboxOptions;
  readonly #waiting: (() => void)[] = [];
  /** Messages that are not made yet, in their order. */
  readonly #later: (() => string)[] = [];
  #stallTimer: NodeJS.Timeout | undefined;
  #isLeaving = false;
  #isStopped = false;

  constructor(socket: WebSocket, options: OutboxOptions) {
    this.#socket = socket;
    this.#options = options;
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
    return this.#isStopped || (this.#waiting.length === 0 && !this.#isFull);
  }

  whenRoom(callback: () => void): void {
    if (this.#isStopped) callback();
    else this.#waiting.push(callback);
  }

  /** The connection is gone: nobody waits any more. */
  stop(): void {
    this.#isStopped = true;
    clearInterval(this.#stallTimer);
    for (const callback of this.#waiting.splice(0)) callback();
  }

  /** From now on the socket holds what it is given, until the end of this turn of the loop. */
  #leaveSoon(): void {
    if (this.#isLeaving) return;
    this.#isLeaving = true;
    this.#insides._socket?.cork();
    setImmediate(() => this.#leave());
  }

  #makeLate(): void {
    for (const make of this.#later.splice(0)) this.#write(make);
  }

  #write(make: () => string): void {
    if (this.#isStopped) return;
    this.#socket.send(make(), TEXT, this.#onFlushed);
    if (this.#isFull) this.#watch();
    if (this.#socket.bufferedAmount > this.#options.bufferBytes + CONTROL_BYTES) this.#socket.pause();
  }

  /** All in one write, which takes longer than what a turn of the loop sets going. */
  #leave(): void {
    this.#isLeaving = false;
    this.#makeLate();
    this.#insides._socket?.uncork();
  }

  get #isFull(): boolean {
    return this.#socket.bufferedAmount >= this.#options.bufferBytes;
  }

  readonly #onFlushed = (): void => {
    if (this.#isStopped) return;
    if (this.#socket.isPaused && !this.#isFull) this.#socket.resume();
    while (this.#waiting.length > 0 && !this.#isFull) this.#waiting.shift()!();
  };

  get #insides(): Insides {
    return this.#socket as unknown as Insides;
  }

  /** Looks, while there is no room, whether the peer takes anything. */
  #watch(): void {
    if (this.#stallTimer !== undefined) return;
    const { stallMs, onStall, onProgress } = this.#options;
    let left = CHECKS_PER_STALL;
    let before = this.#taken();
    this.#stallTimer = setInterval(() => {
      const now = this.#taken();
      left = now === before ? left - 1 : CHECKS_PER_STALL;
      if (now !== before) onProgress();
      before = now;
      if (left === 0) onStall();
      if (left > 0 && this.#isFull) return;
      clearInterval(this.#stallTimer);
      this.#stallTimer = undefined;
    }, stallMs / CHECKS_PER_STALL).unref();
  }

  /**
   * Changes whenever the kernel takes a byte, not only when a whole message has left; and only then: what is
   * added meanwhile, our own pings above all, is no progress of the peer's.
   */
  #taken(): string {
    const { bytesWritten = 0, writableLength = 0, _handle: handle } = this.#insides._socket ?? {};
    return `${bytesWritten - writableLength}:${handle?.writeQueueSize ?? 0}`;
  }
}
