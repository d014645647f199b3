/**
 * Places for transfers, of which there are so many. A client that sends or takes next to nothing would keep
 * its own for ever, and a few of them all: while others are refused, such a connection is cut. One that
 * stands still is cut in any case.
 */
import { type Sending, sentOver, takenSince } from './stall-watch.js';

/** Whose transfer it is: a `Socket`. */
export interface Mover extends Sending {
  bytesRead: number;
  destroy(): unknown;
}

/** Who moves less than `bytesPerMs` in a time of `stallMs` in which somebody was refused loses its place. */
export interface PlacesPace {
  stallMs: number;
  bytesPerMs: number;
}

/** As slow as a body may come, and as long as the kernel needs, which tells of room in steps. */
const PACE: PlacesPace = { stallMs: 30_000, bytesPerMs: 16 };
const LOOKS_PER_STALL = 10;

export class Places {
  readonly #countMax: number;
  readonly #pace: PlacesPace;
  #takenCount = 0;
  #refusedAt = Number.NEGATIVE_INFINITY;

  constructor(countMax: number, pace: PlacesPace = PACE) {
    this.#countMax = countMax;
    this.#pace = pace;
  }

  /** What gives it back, to be called once; `null` when all are taken. */
  take(mover: Mover): (() => void) | null {
    if (this.#takenCount >= this.#countMax) {
      this.#refusedAt = performance.now();
      return null;
    }
    this.#takenCount += 1;
    const timer = this.#watch(mover);
    return () => {
      clearInterval(timer);
      this.#takenCount -= 1;
    };
  }

  #watch(mover: Mover): NodeJS.Timeout {
    const { stallMs, bytesPerMs } = this.#pace;
    let since = performance.now();
    let moved = 0;
    let [received, sent] = [mover.bytesRead, sentOver(mover)];
    const look = () => {
      const now = sentOver(mover);
      moved += mover.bytesRead - received + takenSince(sent, now);
      [received, sent] = [mover.bytesRead, now];
      if (performance.now() - since < stallMs) return;
      if (moved === 0 || (moved < stallMs * bytesPerMs && this.#refusedAt >= since)) mover.destroy();
      since = performance.now();
      moved = 0;
    };
    return setInterval(look, stallMs / LOOKS_PER_STALL).unref();
  }
}
