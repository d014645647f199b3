/**
 * When the pool makes its next sandboxes, and when the host is notified of them. Both cost CPU time that a
 * program's start may need at that very moment, so both are put off while nobody waits for them.
 */
import { availableParallelism } from 'node:os';
import type { Slot } from './slot.js';

/** So long nobody may have looked at sandboxes that are being made; then the host is notified of them. */
const SUBSCRIBE_AFTER_MS = 20;

export interface TimingParts {
  slots: ReadonlySet<Slot>;
  /** Requests that wait for a sandbox. */
  waiting(): number;
  inUse(): number;
  /** CPUs of this machine, or as many of them as this process may use. */
  cpus?: number;
}

export class PreparationTiming {
  readonly #parts: TimingParts;
  readonly #cpus: number;
  /** Slots whose next sandbox is made later. */
  readonly #deferred: Slot[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: TimingParts) {
    this.#parts = parts;
    this.#cpus = parts.cpus ?? availableParallelism();
  }

  /**
   * Whether the host is notified at once of a sandbox that becomes ready. While no request waits that would
   * wake the host in the middle of a program's start, only to note it. Then the host polls when a sandbox is
   * over and its result is out, when it knows of none that is ready, or subscribes after a while.
   */
  isAwaited(): boolean {
    if (this.#parts.waiting() > 0) return true;
    this.#subscribeLater();
    return false;
  }

  /**
   * Whether a sandbox is made later: nothing runs, and another one stands ready, so the next request would
   * compete for the CPU with the creation of this one. It is made while the next program runs, or after a
   * while.
   */
  defers(): boolean {
    return this.#parts.inUse() === 0 && [...this.#parts.slots].some(({ state }) => state === 'ready');
  }

  defer(slot: Slot): void {
    this.#deferred.push(slot);
    this.#subscribeLater();
  }

  /**
   * Makes the deferred sandboxes: a program has just been started, or a request waits. When all CPUs but one
   * have a program, the creation keeps to the CPU that it begins on: else the kernel puts it beside the
   * program that has just been started.
   */
  prepareDeferred(): void {
    const oneCpu = this.#parts.inUse() === this.#cpus - 1;
    for (const slot of this.#deferred.splice(0))
      if (slot.state === 'preparing') slot.prepare(slot.spec, oneCpu);
  }

  /** Receives the messages of sandboxes that have become ready, if they have come. */
  poll(): void {
    for (const slot of this.#parts.slots) slot.pollReady();
  }

  /**
   * A request waits, or nobody has looked for a while: what is deferred is made, and the host notified of
   * each sandbox.
   */
  subscribe(): void {
    this.stop();
    this.prepareDeferred();
    for (const slot of this.#parts.slots) slot.subscribe();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #subscribeLater(): void {
    this.#timer ??= setTimeout(() => this.subscribe(), SUBSCRIBE_AFTER_MS).unref();
  }
}
