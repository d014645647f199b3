/**
 * One side of a living program's session: messages arrive once and in order, over a link that may lose,
 * double and reorder them. What has not been acknowledged is sent again after a while. A message is consumed
 * when whoever it is for has taken it: streams send the next chunk only then, so that a slow reader slows the
 * program and nothing piles up at the broker.
 */
import type { Clock } from '../clock.js';
import { decodeFrame, encodeFrame, type SessionMessage } from '../wire/session.js';

const RESEND_MS = 500;
/** Nothing is acknowledged for so long: the other side is gone. */
const LOST_MS = 60_000;
/** Between two looks whether the other side, from which more is to come, still says anything. */
const CHECK_MS = 5000;
/** Until a side to which all has come is closed: the other one may still ask whether it has. */
const LEAVE_MS = 1000;
/**
 * Of messages that nobody has taken yet: more than streams of one program have under way, as each of them
 * waits for its chunk to be taken. Another side that does not wait is left with the rest.
 */
const UNTAKEN_BYTES_MAX = 64 * 2 ** 20;
/** What a message takes besides its bytes. */
const MESSAGE_BYTES = 1024;
const NONE = new Uint8Array(0);

export interface ChannelOptions {
  send(data: Uint8Array): void;
  /** A promise is waited for before the message counts as consumed. */
  take(message: SessionMessage, bytes: Uint8Array): Promise<unknown> | undefined;
  /** The other side does not answer any more. */
  onLost(): void;
}

interface Sent {
  number: number;
  message: SessionMessage;
  bytes: Uint8Array;
  resolve: () => void;
}

export class Channel {
  /** Called when it is closed. */
  onClose: () => void = () => undefined;
  readonly #clock: Clock;
  readonly #options: ChannelOptions;
  /** Not consumed yet, by number. */
  readonly #sent = new Map<number, Sent>();
  #lastNumber = 0;
  /** By the other side. */
  #receivedThere = 0;
  #receivedHere = 0;
  /** Taken here, and not known there. */
  #consumedHere = new Set<number>();
  #untakenBytes = 0;
  #heardAt: number;
  #stopTimer: (() => void) | null = null;
  #stopExpecting: () => void = () => undefined;
  #stopLeaving: () => void = () => undefined;
  #isClosed = false;
  readonly #onSettled: (() => void)[] = [];

  constructor(clock: Clock, options: ChannelOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#heardAt = clock.now();
  }

  /** Resolves when it was consumed, or the channel is closed. */
  send(message: SessionMessage, bytes: Uint8Array = NONE): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    return new Promise((resolve) => {
      const sent: Sent = { number: ++this.#lastNumber, message, bytes, resolve };
      this.#sent.set(sent.number, sent);
      this.#transmit(sent);
      this.#watch();
    });
  }

  /** A frame came. Ones that cannot be read are passed over. */
  receive(data: Uint8Array): void {
    if (this.#isClosed) return;
    let decoded: ReturnType<typeof decodeFrame>;
    try {
      decoded = decodeFrame(data);
    } catch {
      return;
    }
    const { number, received, consumed, message } = decoded.frame;
    this.#heardAt = this.#clock.now();
    this.#receivedThere = Math.max(this.#receivedThere, received);
    for (const each of consumed) this.#settle(each);
    if (message === null) return;
    if (number === this.#receivedHere + 1 && this.#untakenBytes < UNTAKEN_BYTES_MAX) {
      this.#receivedHere = number;
      this.#consume(number, message, decoded.bytes);
    } else this.#acknowledge(); // one that came before, or one too early, or one too many: it comes again
  }

  /** Resolves when all that was sent has been consumed. */
  async flushed(): Promise<void> {
    while (this.#sent.size > 0) await new Promise<void>((resolve) => this.#onSettled.push(resolve));
  }

  /**
   * More is to come from the other side, which so says something every `RESEND_MS`. To be told once; else a
   * side that sends nothing itself would not notice that the other is gone.
   */
  expectMore(): void {
    this.#heardAt = this.#clock.now();
    const check = () => {
      if (this.#clock.now() - this.#heardAt > LOST_MS) return this.#options.onLost();
      this.#stopExpecting = this.#clock.after(CHECK_MS, check);
    };
    if (!this.#isClosed) this.#stopExpecting = this.#clock.after(CHECK_MS, check);
  }

  /** All has come: closed when the other side had time to hear of it. */
  closeSoon(): void {
    this.#stopLeaving();
    if (!this.#isClosed) this.#stopLeaving = this.#clock.after(LEAVE_MS, () => this.close());
  }

  /** Safe to call twice. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.onClose();
    this.#stopTimer?.();
    this.#stopExpecting();
    this.#stopLeaving();
    for (const number of [...this.#sent.keys()]) this.#settle(number);
  }

  #settle(number: number): void {
    const sent = this.#sent.get(number);
    if (sent === undefined) return;
    this.#sent.delete(number);
    sent.resolve();
    for (const call of this.#onSettled.splice(0)) call();
  }

  #consume(number: number, message: SessionMessage, bytes: Uint8Array): void {
    const size = bytes.byteLength + MESSAGE_BYTES;
    this.#untakenBytes += size;
    const done = () => {
      this.#untakenBytes -= size;
      this.#consumedHere.add(number);
      if (!this.#isClosed) this.#acknowledge();
    };
    const taken = this.#options.take(message, bytes);
    if (taken === undefined) return done();
    this.#acknowledge();
    taken.then(done, done);
  }

  #acknowledge(): void {
    this.#options.send(encodeFrame({ number: 0, ...this.#acks(), message: null }, NONE));
  }

  #transmit({ number, message, bytes }: Sent): void {
    this.#options.send(encodeFrame({ number, ...this.#acks(), message }, bytes));
  }

  /**
   * The last ones are told again and again, since the word may be lost; they are few, as streams wait for
   * each.
   */
  #acks(): { received: number; consumed: number[] } {
    const consumed = [...this.#consumedHere];
    if (consumed.length > 256) this.#consumedHere = new Set(consumed.slice(-128));
    return { received: this.#receivedHere, consumed: [...this.#consumedHere] };
  }

  /**
   * As long as something is not consumed: what was received but not taken is asked about, the rest is sent
   * again.
   */
  #watch(): void {
    if (this.#stopTimer !== null || this.#isClosed) return;
    this.#stopTimer = this.#clock.after(RESEND_MS, () => {
      this.#stopTimer = null;
      if (this.#isClosed || this.#sent.size === 0) return;
      if (this.#clock.now() - this.#heardAt > LOST_MS) return this.#options.onLost();
      const [oldest] = this.#sent.values();
      const missing = [...this.#sent.values()].filter(({ number }) => number > this.#receivedThere);
      for (const sent of missing.length > 0 ? missing : [oldest!]) this.#transmit(sent);
      this.#watch();
    });
  }
}
