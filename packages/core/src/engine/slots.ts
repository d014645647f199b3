/**
 * Slots and who gets them. A few sandboxes stand ready; a taken one is replaced off the caller's path. Each slot makes its
 * next sandbox in the shape it served last, so a steady load finds what it needs standing ready.
 */
import { availableParallelism } from 'node:os';
import type { CgroupTree } from '../cgroup/tree.js';
import { OverloadedError, type SbxError } from '../errors.js';
import { loadNative } from '../native.js';
import type { Shape } from './shape.js';
import { Slot } from './slot.js';

export interface SlotsOptions {
  /** Slots kept when nobody wants one. */
  keep: number;
  /** Sandboxes in use at the most. */
  maxInUse: number;
  /** First host id; 0 when rootless. */
  uidBase: number;
  shape: Shape;
  tree: CgroupTree | null;
  clone: (slotId: number, uidBase: number, helperEnd: number) => void;
}

interface Waiter {
  shape: Shape;
  /** Sandboxes that were lost while they were made for it. */
  lost: number;
  resolve: (slot: Slot) => void;
  reject: (error: unknown) => void;
}

/** One for a program and one for everything else. */
const HAS_TWO_CPUS = availableParallelism() === 2;
/** Slots that are being cloned at the same time. */
const STARTING_MAX = 64;
const IDS_PER_SLOT = 2;
const HEARD_AFTER_MS = 20;
const BUSY_RETRY_MS = 100;
/** Sandboxes that may be lost to one who waits; then it is told. */
const LOST_MAX = 3;

export class Slots {
  readonly #options: SlotsOptions;
  readonly #slots = new Set<Slot>();
  readonly #freeIds: number[] = [];
  readonly #waiters: Waiter[] = [];
  /** Slots whose next sandbox can wait. */
  readonly #resting: Slot[] = [];
  readonly #ending = new Set<Promise<void>>();
  #nextId = 0;
  #inUse = 0;
  #reserved = 0;
  #closed: SbxError | null = null;
  #hearing: NodeJS.Timeout | undefined;

  constructor(options: SlotsOptions) {
    this.#options = options;
  }

  get inUse(): number {
    return this.#inUse;
  }
  get isFull(): boolean {
    return this.#inUse >= this.#options.maxInUse;
  }
  get ready(): number {
    this.#settle();
    return this.#count('ready');
  }

  /** Makes the kept slots; resolves when the first is ready, rejects when it cannot be made. */
  async open(): Promise<void> {
    const first = await this.acquire(this.#options.shape);
    this.leave(first);
    this.release(first, true);
  }

  /** So many more (or fewer) slots are kept: for sandboxes in use that stand for no request, which would else use up the ready ones. */
  reserve(count: number): void {
    this.#reserved += count;
    if (count > 0) this.fill();
  }

  /** Makes the slots that are to be kept and are not there. */
  fill(): void {
    const count = Math.min(this.#keep, STARTING_MAX);
    while (this.#slots.size < count && this.#closed === null && this.#add(this.#options.shape));
  }

  get #keep(): number {
    return Math.min(this.#options.keep + this.#reserved, this.#options.maxInUse);
  }

  /** A slot with a ready sandbox of this shape, now or soon. Throws `OverloadedError` when too many are in use. */
  acquire(shape: Shape): Slot | Promise<Slot> {
    if (this.#closed !== null) throw this.#closed;
    if (this.isFull) {
      throw new OverloadedError({
        message: `${this.#inUse} sandboxes are in use, as many as maxSandboxes allows.`,
        retryAfterMs: BUSY_RETRY_MS,
      });
    }
    this.#inUse += 1;
    const slot = this.#findReady(shape);
    if (slot !== null && slot.shape.key === shape.key) {
      slot.claim();
      return slot;
    }
    const { native } = loadNative();
    native.holdLoop(); // the process stays until this is answered
    return new Promise<Slot>((resolve, reject) => {
      this.#waiters.push({ shape, lost: 0, resolve, reject });
      if (slot !== null) slot.prepare(shape);
      this.#provide();
      this.#hear();
    }).finally(() => native.releaseLoop());
  }

  /** The sandbox of this slot is over; `release` follows, and makes the next one. */
  leave(slot: Slot): void {
    this.#inUse -= 1;
    slot.endUse();
  }

  /** Takes back a slot that was left. `fresh`: it was never used. */
  release(slot: Slot, fresh = false): void {
    this.#settle();
    if (slot.state === 'ended') return this.#provide();
    if (this.#closed !== null || this.#isSurplus()) return this.#drop(slot);
    if (fresh) slot.unclaim();
    else if (this.#inUse === 0 && this.#count('ready') > 0) this.#rest(slot);
    else slot.prepare(slot.shape);
    this.#serve(slot);
    this.fill(); // in the place of those that were lost
  }

  /**
   * Nothing runs, and another sandbox stands ready: whoever comes next would find a CPU taken by the making of this one. It is
   * made beside the next program, or after a while.
   */
  #rest(slot: Slot): void {
    this.#resting.push(slot);
    this.#hearSoon();
  }

  /** A program has just been started, or somebody waits. */
  prepareResting(): void {
    const oneCpu = HAS_TWO_CPUS && this.#inUse === 1;
    for (const slot of this.#resting.splice(0))
      if (slot.state === 'preparing') slot.prepare(slot.shape, oneCpu);
  }

  /** Whether a slot that is left may go: more are there than are kept, and those on their way are enough for all who wait. */
  #isSurplus(): boolean {
    const waiting = this.#waiters.length;
    if (this.#slots.size <= this.#keep + waiting) return false;
    return waiting < this.#count('starting') + this.#count('preparing'); // the slot itself is one of them
  }

  /** Ends every slot; whoever waits is rejected with `reason`. */
  async close(reason: SbxError): Promise<void> {
    this.#closed = reason;
    clearTimeout(this.#hearing);
    for (const waiter of this.#waiters.splice(0)) waiter.reject(reason);
    for (const slot of this.#slots) this.#drop(slot);
    await Promise.all(this.#ending);
  }

  /**
   * Sandboxes that become ready while nobody waits for one are not heard at once: that would awaken the host in the middle of
   * a program's start, only to note it. They are looked for when a sandbox is over and its answer is out, when none is known
   * to be ready, or after a while.
   */
  #isAwaited(): boolean {
    if (this.#waiters.length > 0) return true;
    this.#hearSoon();
    return false;
  }

  #hearSoon(): void {
    this.#hearing ??= setTimeout(() => this.#hear(), HEARD_AFTER_MS).unref();
  }

  #settle(): void {
    for (const slot of this.#slots) slot.settle();
  }

  #hear(): void {
    clearTimeout(this.#hearing);
    this.#hearing = undefined;
    this.prepareResting();
    for (const slot of this.#slots) slot.listen();
  }

  #count(state: Slot['state']): number {
    let count = 0;
    for (const slot of this.#slots) if (slot.state === state) count += 1;
    return count;
  }

  /** One of this shape, or else of another. */
  #findReady(shape: Shape): Slot | null {
    const found = this.#firstReady(shape.key);
    if (found !== null) return found;
    this.#settle();
    return this.#firstReady(shape.key) ?? this.#firstReady();
  }

  #firstReady(key?: string): Slot | null {
    for (const slot of this.#slots)
      if (slot.state === 'ready' && (key === undefined || slot.shape.key === key) && slot.stands())
        return slot;
    return null;
  }

  /** Enough slots on their way for all who wait, but not more at once than the zygote's socket takes. */
  #provide(): void {
    const starting = this.#count('starting');
    const missing = this.#waiters.length - starting - this.#count('preparing');
    const shapes = this.#waiters.slice(this.#waiters.length - Math.max(0, missing)).map(({ shape }) => shape);
    for (const shape of shapes.slice(0, Math.max(0, STARTING_MAX - starting))) if (!this.#add(shape)) return;
  }

  /** False when it could not even be begun; one who waits has been told. */
  #add(shape: Shape): boolean {
    const { uidBase, tree, clone } = this.#options;
    const id = this.#freeIds.pop() ?? this.#nextId++;
    const base = uidBase === 0 ? 0 : uidBase + IDS_PER_SLOT * id;
    try {
      const listener = {
        onReady: (slot: Slot) => this.#serve(slot),
        isAwaited: () => this.#isAwaited(),
        onLost: (slot: Slot, error: SbxError) => this.#onLost(slot, error),
      };
      this.#slots.add(new Slot(id, base, shape, tree, listener, (helperEnd) => clone(id, base, helperEnd)));
      return true;
    } catch (error) {
      this.#freeIds.push(id);
      const waiter = this.#waiters.pop();
      if (waiter !== undefined) this.#inUse -= 1;
      waiter?.reject(error);
      return false;
    }
  }

  /** Gives a ready slot to who waits for its shape, or changes its shape for who waits longest. */
  #serve(slot: Slot): void {
    if (slot.state !== 'ready') return;
    const index = this.#waiters.findIndex(({ shape }) => shape.key === slot.shape.key);
    if (index >= 0) {
      slot.claim();
      this.#waiters.splice(index, 1)[0]!.resolve(slot);
    } else if (this.#waiters.length > this.#count('starting') + this.#count('preparing')) {
      slot.prepare(this.#waiters[0]!.shape);
    }
    this.#provide();
  }

  /**
   * A keeper or an untaken init failed or died: its slot is given up. Who may have waited for it is told of a failure, and gets
   * another where it was killed; not for ever, so that none waits for ever.
   */
  #onLost(slot: Slot, error: SbxError): void {
    const isAwaited = slot.state === 'starting' || slot.state === 'preparing';
    this.#drop(slot);
    if (!isAwaited) return;
    const waiter = this.#waiters[0];
    if (waiter === undefined) return;
    waiter.lost += 1;
    if (error.code === 'SBX_SANDBOX_LOST' && waiter.lost < LOST_MAX) return this.#provide();
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
