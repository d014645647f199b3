/**
 * How often something is tried that the kernel does not notify: densely at first, since a client needs
 * microseconds from its request to its open; more and more slowly as it ages, so that what waits for hours
 * costs next to nothing.
 */

/** Tries between which the loop only turns: some 20 µs apart. */
const FAST_TRIES = 20;
const PAUSE_MS_MIN = 1;
/** The pause is this share of the age, … */
const AGE_SHARE = 1 / 64;
/** … and never longer: so long a late reader waits at the most. */
const PAUSE_MS_MAX_OLD = 250;

export class Pacing {
  readonly #pauseMsMax: number;
  #startedAt = performance.now();
  #tries = 0;
  #pauseMs = PAUSE_MS_MIN;
  #wake: () => void = () => undefined;

  /** `pauseMsMax`: the longest pause while it is young. */
  constructor(pauseMsMax: number) {
    this.#pauseMsMax = pauseMsMax;
  }

  /** Young again: the pause under way ends now. */
  restart(): void {
    this.#startedAt = performance.now();
    this.#tries = 0;
    this.#pauseMs = PAUSE_MS_MIN;
    this.#wake();
  }

  /** Resolves when it is time for the next try; after `leftMs` or an abort at the latest. */
  async next(leftMs: number, signal: AbortSignal | undefined): Promise<void> {
    this.#tries += 1;
    if (this.#tries <= FAST_TRIES) return new Promise((resolve) => setImmediate(resolve));
    const pauseMs = Math.min(this.#pauseMs, leftMs);
    const aged = Math.min((performance.now() - this.#startedAt) * AGE_SHARE, PAUSE_MS_MAX_OLD);
    this.#pauseMs = Math.min(this.#pauseMs * 1.5, Math.max(this.#pauseMsMax, aged));
    await this.#pause(pauseMs, signal);
  }

  #pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        this.#wake = () => undefined;
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#wake = done;
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
