/**
 * What is tried again. A request that was refused before anything of it was read is (nobody listens, the
 * queue is full); so is one that changes nothing (GET) when the connection broke. A run that may have begun
 * is not: it is the caller's to say that it may run twice.
 */
import { backoffMs, TIMER_MS_MAX, unlessAborted } from '@sbx/shared';
import { failure, GojudgeError } from './errors.js';

/** How often, and how long to wait in between. */
export interface RetryOptions {
  /** Times that a request is tried again. Default 2. */
  retries?: number | undefined;
  /**
   * First wait before that, in ms; doubles, with jitter. Default 100. What the server asks for goes first, up
   * to 60 s.
   */
  backoffMs?: number | undefined;
}

/** Of what a server asks for: it may be wrong, or another's page. */
const RETRY_AFTER_MS_MAX = 60_000;
/** Part of each wait that is left to chance. */
const JITTER = 0.5;

/** Repeats `attempt` while `mayRepeat` says so; rejects with the last error, or the signal's reason. */
export class Retrier {
  readonly #retries: number;
  readonly #backoffMs: number;
  #closing = new AbortController();

  constructor({ retries = 2, backoffMs = 100 }: RetryOptions) {
    this.#retries = retries;
    this.#backoffMs = backoffMs;
  }

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
        const { retryAfterMs } = error;
        await sleep(retryAfterMs === null ? waitMs : Math.min(retryAfterMs, RETRY_AFTER_MS_MAX), [
          this.#closing.signal,
          ...(signal ? [signal] : []),
        ]);
      }
    }
  }

  /** Ends the waits under way, of which each would hold the process. */
  close(): void {
    const message = 'The client was closed.';
    this.#closing.abort(failure('GOJUDGE_CLOSED', message));
    this.#closing = new AbortController();
  }
}

function sleep(ms: number, signals: AbortSignal[]): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return unlessAborted(over, AbortSignal.any(signals)).finally(() => clearTimeout(timer));
}
