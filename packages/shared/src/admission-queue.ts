/** Bounded admission, first come, first served: so many at once, so many waiting, the rest refused. */
import { onAbort } from './abort.js';

export interface AdmissionBounds {
  /** Most that are admitted at once. */
  places: number;
  /** Most that wait for a place. */
  queueLength: number;
}

/** What those get that are not admitted. */
export interface AdmissionErrors {
  /** The queue is full. `retryAfterMs`: when, by the mean of those before, it will have gone once. */
  full(retryAfterMs: number): unknown;
  /** `signal` came while it waited. Default: the signal's reason. */
  aborted?(signal: AbortSignal): unknown;
}

interface Waiter {
  resolve: () => void;
  reject: (reason: unknown) => void;
  unsubscribe: () => void;
}

const FIRST_MEAN_MS = 50;
/** Each duration moves the mean by a sixteenth of the difference. */
const MEAN_WEIGHT = 1 / 16;

export class AdmissionQueue {
  readonly bounds: AdmissionBounds;
  readonly #errors: AdmissionErrors;
  readonly #waiting = new Set<Waiter>();
  #running = 0;
  #refused = 0;
  #meanMs = FIRST_MEAN_MS;

  constructor(bounds: AdmissionBounds, errors: AdmissionErrors) {
    this.bounds = bounds;
    this.#errors = errors;
  }

  get running(): number {
    return this.#running;
  }
  get waiting(): number {
    return this.#waiting.size;
  }
  /** How many have found the queue full. */
  get refused(): number {
    return this.#refused;
  }

  /**
   * Admits the caller now, or returns a promise of that. Throws when even the queue is full. `signal` must
   * not be aborted yet.
   */
  acquire(signal?: AbortSignal): Promise<void> | undefined {
    const { places, queueLength } = this.bounds;
    if (this.#running < places) {
      this.#running += 1;
      return undefined;
    }
    if (this.#waiting.size >= queueLength) {
      this.#refused += 1;
      throw this.#errors.full(Math.ceil((this.#meanMs * (queueLength + 1)) / places));
    }
    return this.#wait(signal);
  }

  /** Gives the place to the next in the queue, if any. `durationMs`: how long it was held. */
  release(durationMs: number): void {
    this.#meanMs += (durationMs - this.#meanMs) * MEAN_WEIGHT;
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next.unsubscribe();
    next.resolve();
  }

  /** Rejects everyone in the queue. */
  close(reason: unknown): void {
    for (const waiter of this.#waiting) {
      waiter.unsubscribe();
      waiter.reject(reason);
    }
    this.#waiting.clear();
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { resolve, reject, unsubscribe: () => undefined };
      if (signal !== undefined) waiter.unsubscribe = onAbort(signal, () => this.#abandon(waiter, signal));
      this.#waiting.add(waiter);
    });
  }

  #abandon(waiter: Waiter, signal: AbortSignal): void {
    this.#waiting.delete(waiter);
    waiter.reject(this.#errors.aborted?.(signal) ?? signal.reason);
  }
}
