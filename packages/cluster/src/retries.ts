/** The pauses between tries of what a broker that is away does not answer. */
import { type Clock, pause } from './clock.js';

const FIRST_MS = 100;
const LONGEST_MS = 2000;

export class Retries {
  readonly #clock: Clock;
  readonly #signal: AbortSignal | undefined;
  #waitMs = FIRST_MS;

  /** `signal`: ends a pause. */
  constructor(clock: Clock, signal?: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** Twice as long as the one before. */
  pause(): Promise<void> {
    const waitMs = this.#waitMs;
    this.#waitMs = Math.min(waitMs * 2, LONGEST_MS);
    return pause(this.#clock, waitMs, this.#signal);
  }

  /** It was answered: the next pause is a short one again. */
  reset(): void {
    this.#waitMs = FIRST_MS;
  }
}
