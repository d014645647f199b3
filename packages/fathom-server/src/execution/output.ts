/**
 * One output stream of a program on its way to the client: read, counted, joined, decoded. Reading waits
 * whenever the connection has no room, and with it the program.
 */
import type { ProgramOutput } from '@sbx/core';
import { Utf8Decoder } from './utf8.js';

/**
 * Small writes are joined for so long at the most, counted from the last message; the first goes out at once.
 */
const JOIN_MS = 20;
/** Raw bytes of one message. */
const CHUNK_BYTES = 64 * 1024;

/** Where output goes. */
export interface Outlet {
  /** Output may be sent now. */
  hasRoom(): boolean;
  /** Calls back, once, as soon as it is this one's turn. */
  whenRoom(callback: () => void): void;
}

/** Bytes that an execution may still write, both streams together. */
export class OutputBudget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** How many of these count; fewer than asked when the limit is passed. */
  take(bytes: number): number {
    const taken = Math.min(bytes, this.#left);
    this.#left -= taken;
    return taken;
  }
}

export interface PumpOptions {
  outlet: Outlet;
  budget: OutputBudget;
  emit: (text: string) => void;
  /** More was written than the budget has; what was within it has been taken. */
  onOverflow: () => void;
  /** The client takes nothing, so nothing is read from the program; or that is over. */
  onBlocked: (isBlocked: boolean) => void;
}

export class OutputPump {
  /** Resolves when all that will be sent has been. */
  readonly done: Promise<void>;
  readonly #stream: ProgramOutput;
  readonly #options: PumpOptions;
  readonly #decoder = new Utf8Decoder();
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #timer: NodeJS.Timeout | undefined;
  #flushing: Promise<void> | null = null;
  #sentAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  #isDiscarding = false;
  #stopNow: (() => void) | undefined;

  constructor(stream: ProgramOutput, options: PumpOptions) {
    this.#stream = stream;
    this.#options = options;
    const stopped = new Promise<void>((resolve) => {
      this.#stopNow = resolve;
    });
    this.done = Promise.race([this.#run(), stopped]);
  }

  /** Reads no more; what has been taken still goes out in its turn, less a character that is cut. */
  close(): void {
    this.#isClosed = true;
    this.#stream.destroy();
  }

  /** Reads no more and sends at once what has been taken, room or not: two messages at the most. */
  stop(): void {
    if (!this.#isClosed || this.#pendingBytes > 0) {
      this.close();
      this.#emit();
    }
    this.#isDiscarding = true;
    clearTimeout(this.#timer);
    this.#stopNow?.();
  }

  /** Nobody listens any more: the program is read to its end, for nothing. */
  discard(): void {
    this.#isDiscarding = true;
    this.#pending = [];
    this.#pendingBytes = 0;
    clearTimeout(this.#timer);
  }

  async #run(): Promise<void> {
    await this.#stream.each((bytes) => (this.#isClosed ? null : this.#take(bytes)));
    await this.#flush();
    if (!this.#isClosed && !this.#isDiscarding) this.#send(this.#decoder.end());
  }

  /** A promise when reading must wait. */
  #take(bytes: Uint8Array): Promise<void> | null {
    const { budget, onOverflow } = this.#options;
    const counted = budget.take(bytes.length);
    if (!this.#isDiscarding && counted > 0)
      this.#keep(counted === bytes.length ? bytes : bytes.subarray(0, counted));
    if (counted < bytes.length) onOverflow();
    if (this.#isDiscarding || this.#pendingBytes === 0) return null;
    const waitMs = this.#sentAt + JOIN_MS - performance.now();
    if (this.#pendingBytes >= CHUNK_BYTES || waitMs <= 0) return this.#flush();
    this.#timer ??= setTimeout(() => void this.#flush(), waitMs);
    return null;
  }

  #keep(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  /** Sends what is pending, now or in its turn. */
  #flush(): Promise<void> | null {
    if (this.#flushing !== null) return this.#flushing;
    const { outlet, onBlocked } = this.#options;
    if (this.#pendingBytes === 0 || outlet.hasRoom()) {
      this.#emit();
      return null;
    }
    onBlocked(true);
    this.#flushing = new Promise((resolve) => {
      outlet.whenRoom(() => {
        this.#flushing = null;
        onBlocked(false);
        this.#emit();
        resolve();
      });
    });
    return this.#flushing;
  }

  #emit(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#pendingBytes === 0 || this.#isDiscarding) return;
    const bytes = this.#pending.length === 1 ? this.#pending[0]! : Buffer.concat(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      this.#send(this.#decoder.decode(bytes.subarray(at, at + CHUNK_BYTES)));
    }
    this.#sentAt = performance.now();
  }

  #send(text: string): void {
    if (text !== '') this.#options.emit(text);
  }
}
