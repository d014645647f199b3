/**
 * Admission as go-judge has it: so many requests at once, 512 more waiting, the rest refused. Each worker has
 * its CPUs, where the server was given a list.
 */
import { AdmissionQueue } from '@sbx/shared';
import { RunFailure } from '../errors.js';

/** A place at work. `cpuSet`: the worker's own CPUs, when the server was given a list. */
export interface Permit {
  cpuSet: string | null;
  /** Safe to call twice. */
  release(): void;
}

export class Workers {
  readonly #queue: AdmissionQueue;
  /** CPUs of the workers that are free; none at all where the server was given no list. */
  readonly #freeCpuSets: string[];
  #closed = false;

  constructor(parallelism: number, cpuSets: readonly string[], queueLength: number) {
    this.#freeCpuSets = [...cpuSets];
    this.#queue = new AdmissionQueue(
      { places: cpuSets.length > 0 ? cpuSets.length : parallelism, queueLength },
      {
        full: (retryAfterMs) => new RunFailure('worker queue is full', retryAfterMs),
        aborted: () => new RunFailure('request cancelled before execute'),
      },
    );
  }

  get running(): number {
    return this.#queue.running;
  }
  get waiting(): number {
    return this.#queue.waiting;
  }

  /**
   * Throws or rejects with `RunFailure` when the queue is full, when `signal` comes first, and at shutdown.
   */
  enter(signal: AbortSignal): Permit | Promise<Permit> {
    if (this.#closed) throw new RunFailure('worker is shutting down');
    if (signal.aborted) throw new RunFailure('request cancelled before execute');
    const waiting = this.#queue.acquire(signal);
    return waiting === undefined ? this.#permit() : waiting.then(() => this.#permit());
  }

  /** Nobody gets in any more. */
  close(): void {
    this.#closed = true;
    this.#queue.close(new RunFailure('worker is shutting down'));
  }

  #permit(): Permit {
    const cpuSet = this.#freeCpuSets.pop() ?? null;
    const startedAt = performance.now();
    let released = false;
    return {
      cpuSet,
      release: () => {
        if (released) return;
        released = true;
        if (cpuSet !== null) this.#freeCpuSets.push(cpuSet);
        this.#queue.release(performance.now() - startedAt);
      },
    };
  }
}
