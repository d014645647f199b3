/**
 * What is tried again. A request that was refused before anything of it was read is (nobody listens, the
 * queue is full); so is one that changes nothing (GET) when the connection broke. A run that may have begun
 * is not: it is the caller's to say that it may run twice.
 */
import { backoffMs, onAbort, TIMER_MS_MAX } from '@sbx/shared';
import { GojudgeError } from './errors.js';

/** How often, and how long to wait in between. */
export interface RetryOptions {
  /** Times that a request is tried again. Default 2. */
  retries?: number | undefined;
  /**
   * First wait before that, in ms; doubles, with jitter. Default 100. What the server asks for goes first.
   */
  backoffMs?: number | undefined;
}

/** Part of each wait that is left to chance. */
const JITTER = 0.5;

/** Repeats `attempt` while `mayRepeat` says so. */
export class Retrier {
  readonly #retries: number;
  readonly #backoffMs: number;

  constructor({ retries = 2, backoffMs = 100 }: RetryOptions) {
    this.#retries = retries;
    this.#backoffMs = backoffMs;
  }

  /** Rejects with the last error, or the signal's reason. */
  async run<T>(
    attempt: () => Promise<T>,
    mayRepeat: (error: GojudgeError) => boolean,
    signal?: AbortSignal | null,
  ): Promise<T> {
    for (let count = 0; ; count += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (count >= this.#retries || !(error instanceof GojudgeError) || !mayRepeat(error)) throw error;
        const waitMs = backoffMs(count, { firstMs: this.#backoffMs, capMs: TIMER_MS_MAX, jitter: JITTER });
        await sleep(Math.min(error.retryAfterMs ?? waitMs, TIMER_MS_MAX), signal);
      }
    }
  }
}

function sleep(ms: number, signal?: AbortSignal | null): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const unsubscribe = onAbort(signal ?? undefined, () => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    });
    const timer = setTimeout(() => {
      unsubscribe();
      resolve();
    }, ms);
  });
}
