/**
 * Programs that wait for their requests, family by family, and the refilling: off the path of any request, bounded in
 * memory and in how many start at once. A request that finds none is served by an ordinary start.
 */
import type { EngineCore } from '../../engine/core.js';
import { Gate } from '../../engine/gate.js';
import { ClosedError } from '../../errors.js';
import type { OneShotOptions } from '../../types.js';
import { type Started, startInFresh } from '../one-shot.js';
import { Family } from './family.js';
import { canWait, type Recipe } from './recipe.js';
import type { StandbyCounters, StandbyInput, StandbyOptions } from './types.js';
import { CannotHoldError, Waiting } from './waiting.js';

const DEFAULT_MEMORY_BYTES = 512 * 2 ** 20;
const DEFAULT_START_MS = 60_000;
/** A program that was just handed over has the machine to itself for its first moments. */
const REFILL_DELAY_MS = 20;

export class StandbyPool {
  readonly #core: EngineCore;
  readonly #memoryBytes: number;
  readonly #startMs: number;
  readonly #gate = new Gate();
  readonly #families = new Map<string, Family>();
  readonly #startingMax: number;
  readonly #closer = async () => this.close();
  #timer: NodeJS.Timeout | undefined;
  #settled: (() => void)[] = [];
  /** Why programs cannot be held here at all. */
  #unavailable: string | null = null;
  #closed = false;

  constructor(core: EngineCore, { memoryBytes, startMs }: StandbyOptions = {}) {
    this.#core = core;
    this.#memoryBytes = memoryBytes ?? DEFAULT_MEMORY_BYTES;
    this.#startMs = startMs ?? DEFAULT_START_MS;
    this.#startingMax = Math.max(1, core.machineCpus >> 1);
    core.closers.add(this.#closer);
  }

  /** The family must have been checked. */
  keep(name: string, count: number, recipe: Recipe, prelude: Readonly<Record<string, string>> = {}): void {
    this.#checkOpen();
    const known = this.#families.get(name);
    this.#core.slots.reserve(count - (known?.count ?? 0));
    if (known === undefined) this.#families.set(name, new Family(count, recipe, prelude));
    else {
      known.noteAsked(recipe);
      known.count = count;
      known.prelude = prelude;
      for (const waiting of known.members) if (known.members.size > count) this.#dismiss(known, waiting);
    }
    this.#fill();
  }

  /** The input must have been checked. */
  async spawn(name: string, recipe: Recipe, input: StandbyInput): Promise<Started> {
    this.#checkOpen();
    this.#core.checkOpen();
    const { code, fresh, signal, onAbort, killGraceMs } = input;
    signal?.throwIfAborted();
    const { file, args, entry, files, limits } = recipe;
    const options = { ...recipe.options, signal, onAbort, killGraceMs, files: { ...files, [entry]: code } };
    const family = this.#families.get(name);
    const waits = family !== undefined && fresh !== true;
    const warm = waits ? this.#spawnWarm(family, recipe, code, options) : null;
    if (warm !== null) return warm;
    if (family !== undefined) family.totals.cold += 1;
    this.#makeRoom();
    const onDemand = fresh === true;
    return startInFresh(this.#core, { file, args, options, limits, spawned: true, onDemand });
  }

  /** Resolves when nothing more is about to be started: all wait, or cannot. */
  ready(): Promise<void> {
    if (this.#isSettled()) return Promise.resolve();
    const { native } = this.#core;
    native.holdLoop();
    return new Promise<void>((resolve) => this.#settled.push(resolve)).finally(() => native.releaseLoop());
  }

  counters(): Record<string, StandbyCounters> {
    const entries = [...this.#families].map(([name, family]) => {
      const counters = family.counters();
      return [name, { ...counters, reason: this.#unavailable ?? counters.reason }] as const;
    });
    return Object.fromEntries(entries);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#core.closers.delete(this.#closer);
    clearTimeout(this.#timer);
    for (const family of this.#families.values()) {
      this.#core.slots.reserve(-family.count);
      for (const waiting of family.members) this.#dismiss(family, waiting);
    }
    this.#gate.close();
    this.#tellSettled();
  }

  #spawnWarm(
    family: Family,
    recipe: Recipe,
    code: string | Uint8Array,
    options: OneShotOptions,
  ): Started | null {
    if (family.count === 0 || !canWait(recipe)) return null;
    family.noteAsked(recipe);
    const { limits } = recipe;
    for (let tried = family.take(recipe); tried !== null; tried = family.take(recipe)) {
      const bytes = typeof code === 'string' ? Buffer.from(code) : code;
      this.#fillSoon();
      const started = tried.handOver({ bytes, limits, options });
      if (started !== null) {
        family.totals.warm += 1;
        return started;
      }
      family.noteLost(tried, 'it ended while it waited');
    }
    this.#fillSoon(); // what was asked for may not be what waits
    return null;
  }

  /** Whoever asks comes before what nobody has asked for yet. */
  #makeRoom(): void {
    if (!this.#core.slots.isFull) return;
    for (const family of this.#families.values())
      for (const waiting of family.members) return this.#dismiss(family, waiting);
  }

  #checkOpen(): void {
    if (this.#closed) throw new ClosedError('The standby');
  }

  #fillSoon(delayMs = REFILL_DELAY_MS): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.#fill(), delayMs).unref();
  }

  #fill(): void {
    let retryInMs = Number.POSITIVE_INFINITY;
    for (const family of this.#families.values()) {
      if (this.#closed || this.#unavailable !== null) break;
      const weakest = family.weakest();
      if (weakest !== null) this.#dismiss(family, weakest);
      while (this.#mayStart(family)) this.#begin(family);
      if (family.members.size < family.count && family.retryInMs > 0)
        retryInMs = Math.min(retryInMs, family.retryInMs);
    }
    if (Number.isFinite(retryInMs)) this.#fillSoon(retryInMs + 1);
    if (this.#isSettled()) this.#tellSettled();
  }

  #hasRoom(family: Family): boolean {
    let starting = 0;
    let heldBytes = 0;
    for (const other of this.#families.values()) {
      starting += other.starting;
      heldBytes += other.heldBytes;
    }
    if (heldBytes + family.estimateBytes > this.#memoryBytes) {
      family.reason = `one more would pass the ${this.#memoryBytes} bytes that all may hold together`;
      return false;
    }
    return starting < this.#startingMax;
  }

  #begin(family: Family): void {
    const waiting = new Waiting({
      core: this.#core,
      gate: this.#gate,
      recipe: family.nextRecipe(),
      prelude: family.prelude,
      memoryBytes: this.#memoryBytes,
      startMs: this.#startMs,
      onLost: (lost) => this.#onLost(family, lost, 'it ended while it waited'),
    });
    family.members.add(waiting);
    family.totals.started += 1;
    waiting.begin().then(
      () => {
        family.noteReady(waiting);
        this.#fill();
      },
      (error: Error) => {
        if (error instanceof CannotHoldError) this.#unavailable = error.message;
        this.#onLost(family, waiting, error.message);
      },
    );
  }

  #onLost(family: Family, waiting: Waiting, reason: string): void {
    if (!family.members.has(waiting)) return; // dismissed
    family.noteLost(waiting, reason);
    this.#fill();
  }

  #dismiss(family: Family, waiting: Waiting): void {
    family.members.delete(waiting);
    waiting.close();
  }

  #isSettled(): boolean {
    if (this.#closed || this.#unavailable !== null) return true;
    return [...this.#families.values()].every((family) => family.starting === 0 && !this.#mayStart(family));
  }

  #mayStart(family: Family): boolean {
    return family.members.size < family.count && family.retryInMs === 0 && this.#hasRoom(family);
  }

  #tellSettled(): void {
    for (const resolve of this.#settled.splice(0)) resolve();
  }
}
