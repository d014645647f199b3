/**
 * The clock of one simulated machine: it shows another time than those of others, and stands still while the
 * machine sleeps, as the monotonic clock of a laptop does whose lid is closed.
 */
import type { Clock } from '../clock.js';
import type { SimClock } from './sim-clock.js';

/** Of a sum of fractions of ms. */
const ROUNDING_MS = 1e-6;

export class NodeClock implements Clock {
  readonly #world: SimClock;
  readonly #offsetMs: number;
  #sleptMs = 0;
  #sleep: { from: number; until: number } | null = null;

  constructor(world: SimClock, offsetMs: number) {
    this.#world = world;
    this.#offsetMs = offsetMs;
  }

  now(): number {
    const awakeSince = this.#sleep === null ? this.#world.now() : this.#sleep.from;
    return awakeSince - this.#sleptMs + this.#offsetMs;
  }

  after(ms: number, callback: () => void): () => void {
    const at = this.now() + ms;
    let stop: () => void = () => undefined;
    const wait = () => {
      const asleepMs = this.#sleep === null ? 0 : this.#sleep.until - this.#world.now();
      stop = this.#world.after(Math.max(0, at - this.now()) + Math.max(0, asleepMs), look);
    };
    const look = () => {
      if (this.#sleep !== null || at - this.now() > ROUNDING_MS) wait();
      else callback();
    };
    wait();
    return () => stop();
  }

  /** From now on; nothing, where it sleeps. */
  sleep(ms: number): void {
    if (this.#sleep !== null) return;
    const from = this.#world.now();
    this.#sleep = { from, until: from + ms };
    this.#world.after(ms, () => {
      this.#sleptMs += ms;
      this.#sleep = null;
    });
  }
}
