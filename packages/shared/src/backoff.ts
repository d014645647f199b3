/** How long to wait before something is tried again. */

/** Numbers of the waits. */
export interface BackoffTimes {
  /** The first wait, in ms; each further one is twice as long. */
  firstMs: number;
  /** Longest wait, in ms. */
  capMs: number;
  /**
   * Part of each wait that is left to chance, 0 to 1, so that clients of one server do not all come at once.
   */
  jitter: number;
}

/** Beyond it a doubled time is longer than anybody's bound. */
const DOUBLINGS_MAX = 30;

/** The wait after `waits` others, in ms. `random` gives 0 to 1. */
export function backoffMs(waits: number, times: BackoffTimes, random: () => number = Math.random): number {
  const fullMs = Math.min(times.capMs, times.firstMs * 2 ** Math.min(waits, DOUBLINGS_MAX));
  return fullMs * (1 - times.jitter * random());
}
