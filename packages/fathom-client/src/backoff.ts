/** When to connect again: at once, then after a time that doubles up to a bound, each less a random part. */

import { backoffMs } from '@sbx/shared';

/** Numbers of the reconnection. */
export interface ReconnectOptions {
  /** Wait before the second try, in ms. Default 100. */
  firstMs?: number | undefined;
  /** Longest wait, in ms. Default 30 000. */
  capMs?: number | undefined;
  /**
   * Part of each wait that is left to chance, 0 to 1, so that clients of one server do not all come at once.
   * Default 0.5.
   */
  jitter?: number | undefined;
  /** Tries until it is given up; the next call tries again. Default: without end. */
  triesMax?: number | undefined;
}

/**
 * Between tries at once: a server that takes each connection only to end it would be asked without a pause.
 */
const AT_ONCE_EVERY_MS = 5000;

export class Backoff {
  readonly #options: Readonly<Record<keyof ReconnectOptions, number>>;
  readonly #random: () => number;
  #tries = 0;
  #atOnceAt = Number.NEGATIVE_INFINITY;

  constructor(options: ReconnectOptions = {}, random: () => number = Math.random) {
    const { firstMs = 100, capMs = 30_000, jitter = 0.5, triesMax = Number.POSITIVE_INFINITY } = options;
    this.#options = { firstMs, capMs, jitter, triesMax };
    this.#random = random;
  }

  /**
   * Time until the next try, in ms; `null` when there is to be none. `wasOpen`: a connection ended, rather
   * than a try.
   */
  next(wasOpen: boolean): number | null {
    const { firstMs, capMs, jitter, triesMax } = this.#options;
    if (this.#tries >= triesMax) return null;
    const tried = this.#tries;
    this.#tries += 1;
    if ((tried === 0 || wasOpen) && this.#mayTryAtOnce()) return 0;
    return backoffMs(Math.max(0, tried - 1), { firstMs, capMs, jitter }, this.#random);
  }

  /** A connection came to be, and has shown that it is one. */
  reset(): void {
    this.#tries = 0;
  }

  #mayTryAtOnce(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#atOnceAt < AT_ONCE_EVERY_MS) return false;
    this.#atOnceAt = nowMs;
    return true;
  }
}
