/**
 * Keeps a worker that can carry no job out from taking any: as each fails within a moment, its places would
 * be free before all others, and most of the queue would come to it. After the second fault without a success
 * between them it takes no jobs for a while, and for twice as long after each one that comes then.
 */
import { setMaxListeners } from 'node:events';
import { type Clock, pause } from '../clock.js';

const FAULTS_MAX = 2;
const FIRST_MS = 2000;
const LONGEST_MS = 30_000;

export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #ended: AbortSignal;
  #faults = 0;
  #waitMs = FIRST_MS;
  #openUntil = Number.NEGATIVE_INFINITY;
  #taking!: AbortController;

  /** `ended`: no more jobs are taken in any case. */
  constructor(clock: Clock, ended: AbortSignal) {
    this.#clock = clock;
    this.#ended = ended;
    this.#begin();
    ended.addEventListener('abort', () => this.#taking.abort(), { once: true });
  }

  /** No job is to be taken now. */
  get isOpen(): boolean {
    return this.#clock.now() < this.#openUntil && !this.#ended.aborted;
  }

  /** Ends the waits for jobs that began before it opened. */
  get signal(): AbortSignal {
    return this.#taking.signal;
  }

  /** Resolves when jobs may be taken again, or none are any more. */
  async closed(): Promise<void> {
    while (this.isOpen) await pause(this.#clock, Math.ceil(this.#openUntil - this.#clock.now()), this.#ended);
  }

  onSuccess(): void {
    this.#faults = 0;
    this.#waitMs = FIRST_MS;
  }

  /** `begunAt`: of the job. Those that were here when it opened say nothing new. */
  onFault(begunAt: number): void {
    if (begunAt < this.#openUntil) return;
    this.#faults += 1;
    if (this.#faults < FAULTS_MAX || this.#ended.aborted) return;
    this.#openUntil = this.#clock.now() + this.#waitMs;
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_MS);
    const before = this.#taking;
    this.#begin();
    before.abort();
  }

  #begin(): void {
    this.#taking = new AbortController();
    setMaxListeners(0, this.#taking.signal); // each free place listens
  }
}
