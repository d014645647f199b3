/**
 * Answers that their clients have not taken yet, over all connections: each is in memory until then, and what
 * many leave lying would be more than the server has. Up to a bound a client may take all its time. Beyond,
 * what brings large answers waits for room, and connections that take too little make it: they are reset.
 */
import { type Sending, type Sent, sentOver, takenSince } from './stall-watch.js';

/** Whom answers are for: a `Socket`. */
export interface Taker extends Sending {
  resetAndDestroy(): unknown;
  destroy(): unknown;
}

/** Who takes less than `bytesPerMs` for `stallMs`, while there is no room, is cut off. */
export interface UnsentPace {
  stallMs: number;
  bytesPerMs: number;
}

/** As slow as a body may come, and as long as the kernel needs, which tells of room in steps. */
const PACE: UnsentPace = { stallMs: 30_000, bytesPerMs: 16 };
const LOOKS_PER_STALL = 10;

/** What Node keeps of a message of a WebSocket until it has left, beside its bytes. */
export const MESSAGE_COST_BYTES = 512;
/** What a connection may leave lying while all together have too much. */
export const LEAST_UNSENT_BYTES = 16 * 1024;

/** What a client had taken, and since when too little. */
interface Mark {
  since: number;
  bytes: number;
  sent: Sent;
}

export class Unsent {
  readonly #maxBytes: number;
  readonly #pace: UnsentPace;
  readonly #held = new Map<Taker, number>();
  /** While there is no room. */
  readonly #marks = new Map<Taker, Mark>();
  /** For others to read, before each request. */
  hasRoom = true;
  #bytes = 0;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(maxBytes: number, pace: UnsentPace = PACE) {
    this.#maxBytes = maxBytes;
    this.#pace = pace;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** What is there already, and has to be held whether there is room or not. */
  hold(taker: Taker, bytes: number): void {
    this.#held.set(taker, (this.#held.get(taker) ?? 0) + bytes);
    this.#count(bytes);
    if (this.hasRoom) return;
    this.#timer ??= setInterval(() => this.#look(), this.#pace.stallMs / LOOKS_PER_STALL).unref();
  }

  /** They have left, or the client has gone. */
  release(taker: Taker, bytes: number): void {
    const held = this.#held.get(taker);
    if (held === undefined) return; // was cut off, with all that was held for it
    if (held > bytes) this.#held.set(taker, held - bytes);
    else this.#forget(taker);
    this.#free(Math.min(held, bytes));
  }

  /** Held until `sending` ends. */
  async during<T>(taker: Taker, bytes: number, sending: Promise<T>): Promise<T> {
    this.hold(taker, bytes);
    try {
      return await sending;
    } finally {
      this.release(taker, bytes);
    }
  }

  /** To be waited for before more is made that would have to be held. */
  async whenRoom(): Promise<void> {
    while (!this.hasRoom) await this.#change();
  }

  /** For what is made only then: of many that wait no more than have room go on. */
  async holdWhenRoom(taker: Taker, bytes: number): Promise<void> {
    while (!this.hasRoom) await this.#change();
    this.hold(taker, bytes);
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #count(bytes: number): void {
    this.#bytes += bytes;
    this.hasRoom = this.#bytes <= this.#maxBytes;
  }

  #free(bytes: number): void {
    this.#count(-bytes);
    if (this.hasRoom) for (const go of this.#waiting.splice(0)) go();
  }

  #forget(taker: Taker): void {
    this.#held.delete(taker);
    this.#marks.delete(taker);
  }

  /** Those that have waited longest come first. */
  #look(): void {
    const now = performance.now();
    for (const [taker, bytes] of this.#held) {
      if (this.hasRoom) break;
      if (!this.#isTooSlow(taker, now)) continue;
      this.#forget(taker);
      this.#free(bytes);
      reset(taker);
    }
    if (!this.hasRoom) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#marks.clear();
  }

  #isTooSlow(taker: Taker, now: number): boolean {
    const { stallMs, bytesPerMs } = this.#pace;
    const sent = sentOver(taker);
    const mark = this.#marks.get(taker);
    if (mark === undefined) {
      this.#marks.set(taker, { since: now, bytes: 0, sent });
      return false;
    }
    mark.bytes += takenSince(mark.sent, sent);
    mark.sent = sent;
    if (mark.bytes >= stallMs * bytesPerMs) Object.assign(mark, { since: now, bytes: 0 });
    return now - mark.since >= stallMs;
  }
}

/** At once, and with what the kernel holds for it. Only TCP knows resets. */
function reset(taker: Taker): void {
  try {
    taker.resetAndDestroy();
  } catch {
    taker.destroy();
  }
}
