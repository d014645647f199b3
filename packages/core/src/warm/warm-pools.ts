/**
 * The warm pools of a standby, and their refilling: off the path of any request, bounded in memory and in how
 * many processes start at once. A request that finds no warm process is served by an ordinary start.
 */
import type { EngineCore } from '../engine/core.js';
import { ClosedError } from '../errors.js';
import type { NativeGate } from '../native/native.js';
import { type Started, startInFresh } from '../run/one-shot.js';
import type { FreshRunOptions } from '../types/internal.js';
import type { StandbyCounters, StandbyInput, StandbyOptions } from '../types/standby.js';
import type { LaunchSpec } from './launch-spec.js';
import { WarmPool } from './warm-pool.js';
import { CannotHoldError, WarmProcess } from './warm-process.js';

const DEFAULT_MEMORY_BYTES = 512 * 2 ** 20;
const DEFAULT_START_MS = 60_000;
/** A process that was just activated has the machine to itself for its first moments. */
const REFILL_DELAY_MS = 20;
/** But where one is activated after the other, pools are filled all the same. */
const REFILL_DELAY_MS_MAX = 100;

export class StandbyPool {
  readonly #core: EngineCore;
  readonly #memoryBytes: number;
  readonly #startMs: number;
  readonly #gate: NativeGate;
  readonly #pools = new Map<string, WarmPool>();
  readonly #startingMax: number;
  readonly #closer = async () => this.close();
  #timer: NodeJS.Timeout | undefined;
  /** When pools are to be filled at the latest. */
  #fillBy: number | null = null;
  #idleWaiters: (() => void)[] = [];
  /** Why this machine cannot hold warm processes at all. */
  #unavailable: string | null = null;
  #closed = false;

  constructor(core: EngineCore, { memoryBytes, startMs }: StandbyOptions = {}) {
    this.#core = core;
    this.#memoryBytes = memoryBytes ?? DEFAULT_MEMORY_BYTES;
    this.#startMs = startMs ?? DEFAULT_START_MS;
    this.#gate = new core.native.Gate((id) => this.#onOpened(id));
    this.#startingMax = Math.max(1, core.machineCpus >> 1);
    core.closers.add(this.#closer);
  }

  /** The options must have been checked. */
  keep(
    name: string,
    count: number,
    launchSpec: LaunchSpec,
    warmUpFiles: Readonly<Record<string, string>> = {},
  ): void {
    this.#checkOpen();
    const known = this.#pools.get(name);
    this.#core.pool.reserve(count - (known?.count ?? 0));
    if (known === undefined) this.#pools.set(name, new WarmPool(count, launchSpec, warmUpFiles));
    else {
      known.noteAsked(launchSpec);
      known.count = count;
      known.warmUpFiles = warmUpFiles;
      for (const process of known.members) if (known.members.size > count) this.#dismiss(known, process);
    }
    this.#fill();
  }

  /** The input must have been checked. */
  async spawn(name: string, launchSpec: LaunchSpec, input: StandbyInput): Promise<Started> {
    this.#checkOpen();
    this.#core.checkOpen();
    const { code, fresh, signal, onAbort, killGraceMs } = input;
    signal?.throwIfAborted();
    const { file, args, entry, files, limits } = launchSpec;
    const options = {
      ...launchSpec.options,
      signal,
      onAbort,
      killGraceMs,
      files: { ...files, [entry]: code },
    };
    const pool = this.#pools.get(name);
    const mayBeWarm = pool !== undefined && fresh !== true;
    const warm = mayBeWarm ? this.#spawnWarm(pool, launchSpec, code, options) : null;
    if (warm !== null) return warm;
    if (pool !== undefined) pool.totals.cold += 1;
    this.#makeRoom();
    const onDemand = fresh === true;
    return startInFresh(this.#core, { file, args, options, limits, spawned: true, onDemand });
  }

  /** Resolves when no further process is about to be started: every pool is full, or cannot be filled. */
  ready(): Promise<void> {
    if (this.#isIdle()) return Promise.resolve();
    const { native } = this.#core;
    native.holdLoop();
    return new Promise<void>((resolve) => this.#idleWaiters.push(resolve)).finally(() =>
      native.releaseLoop(),
    );
  }

  counters(): Record<string, StandbyCounters> {
    const entries = [...this.#pools].map(([name, pool]) => {
      const counters = pool.counters();
      return [name, { ...counters, reason: this.#unavailable ?? counters.reason }] as const;
    });
    return Object.fromEntries(entries);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#core.closers.delete(this.#closer);
    clearTimeout(this.#timer);
    for (const pool of this.#pools.values()) {
      this.#core.pool.reserve(-pool.count);
      for (const process of pool.members) this.#dismiss(pool, process);
    }
    this.#gate.close();
    this.#notifyIdle();
  }

  #spawnWarm(
    pool: WarmPool,
    launchSpec: LaunchSpec,
    code: string | Uint8Array,
    options: FreshRunOptions,
  ): Started | null {
    if (pool.count === 0 || !launchSpec.mayWait) return null;
    pool.noteAsked(launchSpec);
    const { limits } = launchSpec;
    for (let tried = pool.acquire(launchSpec); tried !== null; tried = pool.acquire(launchSpec)) {
      const bytes = typeof code === 'string' ? Buffer.from(code) : code;
      this.#fillSoon();
      const started = tried.activate({ bytes, limits, options });
      if (started !== null) {
        pool.totals.warm += 1;
        return started;
      }
      pool.noteLost(tried, 'it ended while it waited');
    }
    this.#fillSoon(); // with processes of the launch spec that was asked for
    return null;
  }

  /**
   * A request takes precedence over a warm process: when every sandbox is in use, one warm process is
   * dismissed.
   */
  #makeRoom(): void {
    if (!this.#core.pool.isFull) return;
    for (const pool of this.#pools.values())
      for (const process of pool.members) return this.#dismiss(pool, process);
  }

  #checkOpen(): void {
    if (this.#closed) throw new ClosedError('The standby');
  }

  #fillSoon(): void {
    const now = performance.now();
    this.#fillBy ??= now + REFILL_DELAY_MS_MAX;
    this.#fillIn(Math.min(REFILL_DELAY_MS, this.#fillBy - now));
  }

  #fillIn(delayMs: number): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = setTimeout(() => this.#fill(), delayMs).unref();
  }

  #fill(): void {
    this.#fillBy = null;
    let retryInMs = Number.POSITIVE_INFINITY;
    for (const pool of this.#pools.values()) {
      if (this.#closed || this.#unavailable !== null) break;
      const weakest = pool.weakest();
      if (weakest !== null) this.#dismiss(pool, weakest);
      while (this.#mayStart(pool)) this.#begin(pool);
      if (pool.members.size < pool.count && pool.retryInMs > 0)
        retryInMs = Math.min(retryInMs, pool.retryInMs);
    }
    if (Number.isFinite(retryInMs)) this.#fillIn(retryInMs + 1);
    if (this.#isIdle()) this.#notifyIdle();
  }

  #hasRoom(pool: WarmPool): boolean {
    let starting = 0;
    let heldBytes = 0;
    for (const other of this.#pools.values()) {
      starting += other.starting;
      heldBytes += other.heldBytes;
    }
    if (heldBytes + pool.estimateBytes > this.#memoryBytes) {
      pool.reason = `one more would pass the ${this.#memoryBytes} bytes that all may hold together`;
      return false;
    }
    return starting < this.#startingMax;
  }

  #begin(pool: WarmPool): void {
    const process = new WarmProcess({
      core: this.#core,
      gate: this.#gate,
      launchSpec: pool.nextLaunchSpec(),
      warmUpFiles: pool.warmUpFiles,
      memoryBytes: this.#memoryBytes,
      startMs: this.#startMs,
      onLost: (lost) => this.#onLost(pool, lost, 'it ended while it waited'),
    });
    pool.members.add(process);
    pool.totals.started += 1;
    process.begin().then(
      () => {
        pool.noteReady(process);
        this.#fill();
      },
      (error: Error) => {
        if (error instanceof CannotHoldError) this.#unavailable = error.message;
        this.#onLost(pool, process, error.message);
      },
    );
  }

  /** The program of one of them is blocked in its opening of the entry file. */
  #onOpened(gateId: number): void {
    for (const pool of this.#pools.values())
      for (const process of pool.members) if (process.gateId === gateId) process.noteOpened();
  }

  #onLost(pool: WarmPool, process: WarmProcess, reason: string): void {
    if (!pool.members.has(process)) return; // dismissed
    pool.noteLost(process, reason);
    this.#fill();
  }

  #dismiss(pool: WarmPool, process: WarmProcess): void {
    pool.members.delete(process);
    process.close();
  }

  #isIdle(): boolean {
    if (this.#closed || this.#unavailable !== null) return true;
    return [...this.#pools.values()].every((pool) => pool.starting === 0 && !this.#mayStart(pool));
  }

  #mayStart(pool: WarmPool): boolean {
    return pool.members.size < pool.count && pool.retryInMs === 0 && this.#hasRoom(pool);
  }

  #notifyIdle(): void {
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }
}
