/** Admission as go-judge has it: so many requests at once, 512 more waiting, the rest refused. */
import { RunFailure } from '../errors.js';

/** A place at work. `cpuSet`: the worker's own CPUs, when the server was given a list. */
export interface Permit {
  cpuSet: string | null;
  release(): void;
}

interface Waiter {
  start(permit: Permit): void;
  fail(error: RunFailure): void;
}

export class Workers {
  readonly #length: number;
  readonly #free: (string | null)[];
  readonly #waiting = new Set<Waiter>();
  #running = 0;
  #closed = false;
  #meanMs = 50;
  readonly #size: number;

  constructor(parallelism: number, cpuSets: readonly string[], length: number) {
    this.#free = cpuSets.length > 0 ? [...cpuSets] : Array.from({ length: parallelism }, () => null);
    this.#size = Math.max(1, this.#free.length);
    this.#length = length;
  }

  get running(): number {
    return this.#running;
  }
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Throws or rejects with `RunFailure` when the queue is full, when `signal` comes first, and at shutdown. */
  enter(signal: AbortSignal): Permit | Promise<Permit> {
    if (this.#closed) throw new RunFailure('worker is shutting down');
    if (signal.aborted) throw new RunFailure('request cancelled before execute');
    if (this.#free.length > 0) return this.#permit(this.#free.pop()!);
    if (this.#waiting.size >= this.#length) {
      throw new RunFailure('worker queue is full', (this.#meanMs * this.#length) / this.#size);
    }
    return this.#wait(signal);
  }

  /** Nobody gets in any more. */
  close(): void {
    this.#closed = true;
    for (const waiter of this.#waiting) waiter.fail(new RunFailure('worker is shutting down'));
    this.#waiting.clear();
  }

  #wait(signal: AbortSignal): Promise<Permit> {
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.delete(waiter);
        reject(new RunFailure('request cancelled before execute'));
      };
      const settled = () => signal.removeEventListener('abort', onAbort);
      const waiter: Waiter = {
        start: (permit) => {
          settled();
          resolve(permit);
        },
        fail: (error) => {
          settled();
          reject(error);
        },
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
    });
  }

  #permit(cpuSet: string | null): Permit {
    this.#running += 1;
    const startedAt = performance.now();
    let left = false;
    return {
      cpuSet,
      release: () => {
        if (left) return;
        left = true;
        this.#running -= 1;
        this.#meanMs += (performance.now() - startedAt - this.#meanMs) / 16;
        const [next] = this.#waiting;
        if (next === undefined) return void this.#free.push(cpuSet);
        this.#waiting.delete(next);
        next.start(this.#permit(cpuSet));
      },
    };
  }
}
