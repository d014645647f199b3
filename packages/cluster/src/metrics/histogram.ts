/** Times by how long they were: counted always, since that costs a few steps, and read when somebody asks. */

import { TIME_BOUNDS_SECONDS } from '@sbx/serving';

/** Jobs can be longer than what clients of a server wait for. */
const BOUNDS = [...TIME_BOUNDS_SECONDS, 1800];

export class Histogram {
  /** Of each bound those that are above the one before; the last are above all. */
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sum = 0;

  /** Clocks of two machines may say that something ended before it began: it took no time then. */
  observe(ms: number): void {
    const seconds = Math.max(0, ms) / 1000;
    let index = 0;
    while (index < BOUNDS.length && seconds > BOUNDS[index]!) index += 1;
    this.#counts[index]! += 1;
    this.#sum += seconds;
  }

  /** As Prometheus has it: each bound with all that are not above it. */
  read(): { buckets: { bound: string; count: number }[]; count: number; sum: number } {
    let count = 0;
    const buckets = [...BOUNDS.map(String), '+Inf'].map((bound, index) => {
      count += this.#counts[index]!;
      return { bound, count };
    });
    return { buckets, count, sum: this.#sum };
  }
}
