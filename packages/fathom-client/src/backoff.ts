/** When to connect again: at once, then after a time that doubles up to a bound, each less a random part. */

/** Numbers of the reconnection. */
export interface ReconnectOptions {
  /** Wait before the second try, in ms. Default 100. */
  firstMs?: number;
  /** Longest wait, in ms. Default 30 000. */
  capMs?: number;
  /** Part of each wait that is left to chance, 0 to 1, so that clients of one server do not all come at once. Default 0.5. */
  jitter?: number;
  /** Tries until it is given up; the next call tries again. Default: without end. */
  triesMax?: number;
}

/** A server that takes each connection only to end it would be asked without a pause: so often in a second, and no more. */
const AT_ONCE_MAX = 8;
const AT_ONCE_WINDOW_MS = 1000;

export class Backoff {
  readonly #options: Required<ReconnectOptions>;
  readonly #random: () => number;
  #tries = 0;
  #atOnce = { count: 0, sinceMs: 0 };

  constructor(options: ReconnectOptions = {}, random: () => number = Math.random) {
    this.#options = {
      firstMs: 100,
      capMs: 30_000,
      jitter: 0.5,
      triesMax: Number.POSITIVE_INFINITY,
      ...options,
    };
    this.#random = random;
  }

  /** Time until the next try, in ms; `null` when there is to be none. */
  next(): number | null {
    const { firstMs, capMs, jitter, triesMax } = this.#options;
    if (this.#tries >= triesMax) return null;
    const tried = this.#tries;
    this.#tries += 1;
    if (tried === 0 && this.#mayTryAtOnce()) return 0;
    const full = Math.min(capMs, firstMs * 2 ** Math.min(Math.max(0, tried - 1), 30));
    return full * (1 - jitter * this.#random());
  }

  /** A connection came to be. */
  reset(): void {
    this.#tries = 0;
  }

  #mayTryAtOnce(): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#atOnce.sinceMs > AT_ONCE_WINDOW_MS) this.#atOnce = { count: 0, sinceMs: nowMs };
    this.#atOnce.count += 1;
    return this.#atOnce.count <= AT_ONCE_MAX;
  }
}
