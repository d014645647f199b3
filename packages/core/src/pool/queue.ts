/** Bounded admission: `parallelism` at once, `length` waiting, first come first served; the rest is refused. */
import { onAbort } from '../abort.js';
import { OverloadedError } from '../errors.js';

interface Waiter {
  resolve: () => void;
  reject: (reason: unknown) => void;
  unsubscribe: () => void;
}

export class Queue {
  readonly parallelism: number;
  readonly length: number;
  #running = 0;
  #refused = 0;
  readonly #waiting: Waiter[] = [];
  /** Mean duration of a run, for `retryAfterMs`. */
  #meanMs = 50;

  constructor(parallelism: number, length: number) {
    this.parallelism = parallelism;
    this.length = length;
  }

  get running(): number {
    return this.#running;
  }
  get waiting(): number {
    return this.#waiting.length;
  }
  get refused(): number {
    return this.#refused;
  }

  /** Acquires a permit to run now, or returns a promise of one. Throws `OverloadedError` when even the queue is full. */
  acquire(signal?: AbortSignal): Promise<void> | undefined {
    if (this.#running < this.parallelism) {
      this.#running += 1;
      return undefined;
    }
    if (this.#waiting.length >= this.length) {
      this.#refused += 1;
      throw new OverloadedError({
        message: `All ${this.parallelism} places are taken and ${this.length} runs are waiting, as many as may (queueLength). Raise queueLength in the options of Engine.open, or start fewer at once: engine.runMany(requests, { concurrency }) does.`,
        details: { parallelism: this.parallelism, queueLength: this.length },
        retryAfterMs: Math.ceil((this.#meanMs * (this.length + 1)) / this.parallelism),
      });
    }
    return this.#wait(signal);
  }

  /** Releases the permit to the next in the queue, if any. */
  release(durationMs: number): void {
    this.#meanMs += (durationMs - this.#meanMs) / 16;
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    next.unsubscribe();
    next.resolve();
  }

  /** Rejects everyone in the queue. */
  close(reason: unknown): void {
    for (const waiter of this.#waiting.splice(0)) {
      waiter.unsubscribe();
      waiter.reject(reason);
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const abandon = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(signal!.reason);
      };
      const unsubscribe = signal === undefined ? () => undefined : onAbort(signal, abandon);
      const waiter: Waiter = { resolve, reject, unsubscribe };
      this.#waiting.push(waiter);
    });
  }
}
