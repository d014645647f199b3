import { unlessAborted } from '@sbx/shared';

/**
 * A number of places, taken in the order of asking: `use` runs `work` when there is one, and rejects with the
 * signal's reason when that comes first.
 */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  async use<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#release();
    }
  }

  #take(signal?: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return Promise.resolve();
    }
    const turn = new Promise<void>((go) => {
      this.#waiting.push(go);
    });
    return unlessAborted(turn, signal, () => this.#release());
  }

  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free += 1;
    else next();
  }
}
