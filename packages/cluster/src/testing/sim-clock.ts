/**
 * Time that passes when the test says so, and a random number generator with a seed: the same seed gives the
 * same schedule.
 */
import type { Clock } from '../clock.js';

interface Timer {
  at: number;
  order: number;
  callback: (() => void) | null;
}

export class SimClock implements Clock {
  #now = 0;
  #order = 0;
  /** A binary heap, earliest first. */
  readonly #heap: Timer[] = [];

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer: Timer = { at: this.#now + ms, order: this.#order++, callback };
    this.#push(timer);
    return () => {
      timer.callback = null;
    };
  }

  /** Runs timers, and all that they set off, until then or until `isOver` says so. */
  async run(untilMs: number, isOver: () => boolean = () => false): Promise<void> {
    await settle();
    while (this.#heap.length > 0 && this.#heap[0]!.at <= untilMs && !isOver()) {
      const timer = this.#pop();
      if (timer.callback === null) continue;
      this.#now = timer.at;
      timer.callback();
      await settle();
    }
  }

  #push(timer: Timer): void {
    const heap = this.#heap;
    let at = heap.length;
    heap.push(timer);
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, heap[parent]!)) break;
      heap[at] = heap[parent]!;
      at = parent;
    }
    heap[at] = timer;
  }

  #pop(): Timer {
    const heap = this.#heap;
    const first = heap[0]!;
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[at] = heap[child]!;
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

/** Long enough for every chain of promises between two timers, and cheaper than a turn of the loop. */
const MICROTASKS = 16;

async function settle(): Promise<void> {
  for (let count = 0; count < MICROTASKS; count += 1) await null;
}

/** Numbers from 0 to 1 (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
