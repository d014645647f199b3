/**
 * The sandboxes of an engine, each in a slot, and their assignment to requests. A few sandboxes stand ready;
 * a leased one is replaced off the caller's path. Each slot makes its next sandbox by the spec that it served
 * last, so a steady load finds the sandboxes it needs ready.
 */
import type { CgroupTree } from '../cgroup/tree.js';
import { OverloadedError, type SbxError } from '../errors.js';
import { loadNative } from '../native/native.js';
import { PreparationTiming } from './preparation-timing.js';
import type { SandboxSpec } from './sandbox-spec.js';
import { Slot } from './slot.js';

export interface SandboxPoolOptions {
  /** Slots kept when nobody wants one. */
  keep: number;
  /** Sandboxes in use at the most. */
  maxInUse: number;
  /** First host id; 0 when rootless. */
  uidBase: number;
  spec: SandboxSpec;
  tree: CgroupTree | null;
  clone: (slotId: number, uidBase: number, helperEnd: number) => void;
}

interface Waiter {
  spec: SandboxSpec;
  /** Sandboxes that were lost while they were made for it. */
  lost: number;
  resolve: (slot: Slot) => void;
  reject: (error: unknown) => void;
}

/** Slots that are being cloned at the same time. */
const STARTING_MAX = 64;
const IDS_PER_SLOT = 2;
const BUSY_RETRY_MS = 100;
/** Sandboxes that may be lost to one waiter; then it is rejected. */
const LOST_MAX = 3;

export class SandboxPool {
  readonly #options: SandboxPoolOptions;
  readonly #slots = new Set<Slot>();
  readonly #freeIds: number[] = [];
  readonly #waiters: Waiter[] = [];
  readonly #timing: PreparationTiming;
  readonly #ending = new Set<Promise<void>>();
  #nextId = 0;
  #inUse = 0;
  #reserved = 0;
  #closed: SbxError | null = null;

  constructor(options: SandboxPoolOptions) {
    this.#options = options;
    this.#timing = new PreparationTiming({
      slots: this.#slots,
      waiting: () => this.#waiters.length,
      inUse: () => this.#inUse,
    });
  }

  get inUse(): number {
    return this.#inUse;
  }
  get isFull(): boolean {
    return this.#inUse >= this.#options.maxInUse;
  }
  get ready(): number {
    this.#timing.poll();
    return this.#count('ready');
  }

  /** Makes the kept slots; resolves when the first is ready, rejects when it cannot be made. */
  async open(): Promise<void> {
    const first = await this.acquire(this.#options.spec);
    this.detach(first);
    this.release(first, true);
  }

  /**
   * So many more (or fewer) slots are kept: for sandboxes in use that stand for no request, which would else
   * use up the ready ones.
   */
  reserve(count: number): void {
    this.#reserved += count;
    if (count > 0) this.fill();
  }

  /** Makes the slots that are to be kept and are not there. */
  fill(): void {
    const count = Math.min(this.#keep, STARTING_MAX);
    while (this.#slots.size < count && this.#closed === null && this.#add(this.#options.spec));
  }

  get #keep(): number {
    return Math.min(this.#options.keep + this.#reserved, this.#options.maxInUse);
  }

  /**
   * A slot with a ready sandbox of this spec, now or soon. Throws `OverloadedError` when too many are in use.
   */
  acquire(spec: SandboxSpec): Slot | Promise<Slot> {
    if (this.#closed !== null) throw this.#closed;
    if (this.isFull) {
      throw new OverloadedError({
        message: `${this.#inUse} sandboxes are in use, as many as maxSandboxes allows. Close one, or raise maxSandboxes in the options of Engine.open.`,
        retryAfterMs: BUSY_RETRY_MS,
      });
    }
    this.#inUse += 1;
    const slot = this.#findReady(spec);
    if (slot !== null && slot.spec.key === spec.key) {
      slot.claim();
      return slot;
    }
    const { native } = loadNative();
    native.holdLoop(); // the process stays until this is answered
    return new Promise<Slot>((resolve, reject) => {
      this.#waiters.push({ spec, lost: 0, resolve, reject });
      if (slot !== null) slot.prepare(spec);
      this.#startMissing();
      this.#timing.subscribe();
    }).finally(() => native.releaseLoop());
  }

  /** The sandbox of this slot is over and no longer in use; `release` follows, and makes the next one. */
  detach(slot: Slot): void {
    this.#inUse -= 1;
    slot.endUse();
  }

  /** Takes back a detached slot. `fresh`: it was never used. */
  release(slot: Slot, fresh = false): void {
    this.#timing.poll();
    if (slot.state === 'ended') return this.#startMissing();
    if (this.#closed !== null || this.#isSurplus()) return this.#drop(slot);
    if (fresh) slot.unclaim();
    else if (this.#timing.defers()) this.#timing.defer(slot);
    else slot.prepare(slot.spec);
    this.#assign(slot);
    this.fill(); // replaces those that were lost
  }

  /** A program has just been started: makes the sandboxes that were put off. */
  prepareDeferred(): void {
    this.#timing.prepareDeferred();
  }

  /**
   * Whether a detached slot may end: there are more than are kept, and those on their way are enough for all
   * waiters.
   */
  #isSurplus(): boolean {
    const waiting = this.#waiters.length;
    if (this.#slots.size <= this.#keep + waiting) return false;
    return waiting < this.#count('starting') + this.#count('preparing'); // the slot itself is one of them
  }

  /** Ends every slot; waiters are rejected with `reason`. */
  async close(reason: SbxError): Promise<void> {
    this.#closed = reason;
    this.#timing.stop();
    for (const waiter of this.#waiters.splice(0)) waiter.reject(reason);
    for (const slot of this.#slots) this.#drop(slot);
    await Promise.all(this.#ending);
  }

  #count(state: Slot['state']): number {
    let count = 0;
    for (const slot of this.#slots) if (slot.state === state) count += 1;
    return count;
  }

  /** A ready slot of this spec, or else of another. */
  #findReady(spec: SandboxSpec): Slot | null {
    const found = this.#firstReady(spec.key);
    if (found !== null) return found;
    this.#timing.poll();
    return this.#firstReady(spec.key) ?? this.#firstReady();
  }

  #firstReady(key?: string): Slot | null {
    for (const slot of this.#slots)
      if (slot.state === 'ready' && (key === undefined || slot.spec.key === key) && slot.isStillReady())
        return slot;
    return null;
  }

  /**
   * Starts slots until there are enough for all waiters, but not more at once than the zygote's socket takes.
   */
  #startMissing(): void {
    const starting = this.#count('starting');
    const missing = this.#waiters.length - starting - this.#count('preparing');
    const specs = this.#waiters.slice(this.#waiters.length - Math.max(0, missing)).map(({ spec }) => spec);
    for (const spec of specs.slice(0, Math.max(0, STARTING_MAX - starting))) if (!this.#add(spec)) return;
  }

  /** False when the slot could not be started; one waiter was rejected with the reason. */
  #add(spec: SandboxSpec): boolean {
    const { uidBase, tree, clone } = this.#options;
    const id = this.#freeIds.pop() ?? this.#nextId++;
    const base = uidBase === 0 ? 0 : uidBase + IDS_PER_SLOT * id;
    try {
      const listener = {
        onReady: (slot: Slot) => this.#assign(slot),
        isAwaited: () => this.#timing.isAwaited(),
        onLost: (slot: Slot, error: SbxError) => this.#onLost(slot, error),
      };
      const cloneSlot = (helperEnd: number) => clone(id, base, helperEnd);
      this.#slots.add(new Slot({ id, uidBase: base, spec, tree, listener, clone: cloneSlot }));
      return true;
    } catch (error) {
      this.#freeIds.push(id);
      const waiter = this.#waiters.pop();
      if (waiter !== undefined) this.#inUse -= 1;
      waiter?.reject(error);
      return false;
    }
  }

  /**
   * Assigns a ready slot to a waiter for its spec, or changes its spec for the waiter that has waited
   * longest.
   */
  #assign(slot: Slot): void {
    if (slot.state !== 'ready') return;
    const index = this.#waiters.findIndex(({ spec }) => spec.key === slot.spec.key);
    if (index >= 0) {
      slot.claim();
      this.#waiters.splice(index, 1)[0]!.resolve(slot);
    } else if (this.#waiters.length > this.#count('starting') + this.#count('preparing')) {
      slot.prepare(this.#waiters[0]!.spec);
    }
    this.#startMissing();
  }

  /**
   * A keeper or an untaken init failed or died: its slot is given up. A waiter for it is rejected when it
   * failed, and gets another where it was killed; not for ever, so that none waits for ever.
   */
  #onLost(slot: Slot, error: SbxError): void {
    const isAwaited = slot.state === 'starting' || slot.state === 'preparing';
    this.#drop(slot);
    if (!isAwaited) return;
    const waiter = this.#waiters[0];
    if (waiter === undefined) return;
    waiter.lost += 1;
    if (error.code === 'SBX_SANDBOX_LOST' && waiter.lost < LOST_MAX) return this.#startMissing();
    this.#waiters.shift();
    this.#inUse -= 1;
    waiter.reject(error);
  }

  #drop(slot: Slot): void {
    if (!this.#slots.delete(slot)) return;
    const ending = slot.end().then(() => {
      this.#ending.delete(ending);
      this.#freeIds.push(slot.id);
    });
    this.#ending.add(ending);
  }
}
