/** Long work on the loop, a turn at a time. */
import { setImmediate } from 'node:timers/promises';

/**
 * How long this process may do nothing else: a job of 30,000 files would keep leases from being extended and
 * programs from being ended for seconds.
 */
const TURN_MS = 10;

export class Turns {
  #endsAt = performance.now() + TURN_MS;

  /** To be asked after each step, and then awaited, so that others have their turns. */
  get isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  async next(): Promise<void> {
    await setImmediate();
    this.#endsAt = performance.now() + TURN_MS;
  }
}
