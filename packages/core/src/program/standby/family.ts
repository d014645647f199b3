/** The places of one kind of program: who waits there, and what they are made for. */
import type { Recipe } from './recipe.js';
import { nextRecipe, RECENT_MAX, weakest } from './shares.js';
import type { StandbyCounters } from './types.js';
import type { Waiting } from './waiting.js';

/** What a program is taken to hold until one has been measured. */
const ESTIMATE_BYTES = 64 * 2 ** 20;
const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 30_000;

export class Family {
  readonly members = new Set<Waiting>();
  readonly totals = { warm: 0, cold: 0, lost: 0, started: 0 };
  count: number;
  prelude: Readonly<Record<string, string>>;
  /** Why none could be started last; `null` when one could. */
  reason: string | null = null;
  #recent: Recipe[];
  #failures = 0;
  #retryAt = 0;
  #estimateBytes = ESTIMATE_BYTES;

  constructor(count: number, recipe: Recipe, prelude: Readonly<Record<string, string>>) {
    this.count = count;
    this.prelude = prelude;
    this.#recent = [recipe];
  }

  /** Time in ms until the next start may be tried; 0: now. */
  get retryInMs(): number {
    return Math.max(0, this.#retryAt - performance.now());
  }

  /** Bytes that one more is expected to hold. */
  get estimateBytes(): number {
    return this.#estimateBytes;
  }

  get heldBytes(): number {
    let total = 0;
    for (const { memoryBytes } of this.members) total += memoryBytes || this.#estimateBytes;
    return total;
  }

  get starting(): number {
    let count = 0;
    for (const { waits } of this.members) count += waits ? 0 : 1;
    return count;
  }

  /** A request came for this recipe. */
  noteAsked(recipe: Recipe): void {
    this.#recent = [...this.#recent, recipe].slice(-RECENT_MAX);
  }

  nextRecipe(): Recipe {
    return nextRecipe(this.#recent, [...this.members]);
  }

  /** One that waits for what is hardly asked for any more, when every place is taken. */
  weakest(): Waiting | null {
    if (this.members.size < this.count) return null;
    const found = weakest(this.#recent, [...this.members]);
    return found?.waits ? found : null;
  }

  /** Takes out one that waits for just this. */
  take({ key, limits }: Recipe): Waiting | null {
    for (const waiting of this.members) {
      if (!waiting.waits || waiting.recipe.key !== key || !waiting.fits(limits)) continue;
      this.members.delete(waiting);
      return waiting;
    }
    return null;
  }

  noteReady({ memoryBytes }: Waiting): void {
    this.#failures = 0;
    this.reason = null;
    if (memoryBytes > 0) this.#estimateBytes = memoryBytes;
  }

  /** One could not be started, or ended while it waited: the next is not tried at once. */
  noteLost(waiting: Waiting, reason: string): void {
    this.members.delete(waiting);
    this.totals.lost += 1;
    this.reason = reason;
    if (this.retryInMs > 0) return; // lost together with another, by one cause
    this.#retryAt = performance.now() + Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
  }

  counters(): StandbyCounters {
    let memoryBytes = 0;
    for (const waiting of this.members) memoryBytes += waiting.memoryBytes;
    const { starting, totals, reason } = this;
    return { waiting: this.members.size - starting, starting, ...totals, memoryBytes, reason };
  }
}
