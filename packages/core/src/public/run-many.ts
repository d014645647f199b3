/** Many one-shot runs, a few at a time: what `engine.runMany` does. */
import { onAbort } from '@sbx/shared';
import type { EngineCore } from '../engine/core.js';
import { validateRunMany, validateRunRequest } from '../options/run-many.js';
import { runOneShot } from '../run/one-shot.js';
import type { RunManyOptions } from '../types/program.js';
import type { RunResult } from '../types/result.js';
import type { ManyRequests, RunRequest } from './options.js';

/**
 * Results in the order of the requests. Never more than `concurrency` run, and as many again wait to be
 * taken.
 */
export async function* runMany(
  core: EngineCore,
  requests: ManyRequests,
  options: RunManyOptions = {},
): AsyncGenerator<RunResult, void, undefined> {
  validateRunMany(requests, options);
  const { places, queueLength } = core.queue.bounds;
  const { signal } = options;
  const concurrency = Math.min(options.concurrency ?? places, places + queueLength);
  signal?.throwIfAborted();
  const stop = new AbortController();
  const release = signal === undefined ? () => undefined : onAbort(signal, () => stop.abort(signal.reason));
  const iterator = iteratorOf(requests);
  const runs = new Runs(core, stop.signal, concurrency);
  try {
    for (let more = true; ; ) {
      while (more && (await runs.hasRoom())) {
        const next = await iterator.next();
        if (next.done) more = false;
        else runs.start(next.value);
      }
      if (runs.isEmpty) return;
      yield await runs.next();
    }
  } finally {
    release();
    stop.abort();
    await runs.allEnded();
    await iterator.return?.();
  }
}

/** Runs that were started and whose results have not been taken. */
class Runs {
  readonly #core: EngineCore;
  readonly #signal: AbortSignal;
  readonly #concurrency: number;
  readonly #results: Promise<RunResult>[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #startedCount = 0;

  constructor(core: EngineCore, signal: AbortSignal, concurrency: number) {
    this.#core = core;
    this.#signal = signal;
    this.#concurrency = concurrency;
  }

  get isEmpty(): boolean {
    return this.#results.length === 0;
  }

  /**
   * Waits for a place, unless there is the next result to be taken before, or too much lies there already.
   */
  async hasRoom(): Promise<boolean> {
    const first = this.#results[0];
    while (this.#running.size >= this.#concurrency) {
      await Promise.race(this.#running);
      if (first !== undefined && !this.#isRunning(first)) return false;
    }
    return this.#results.length < 2 * this.#concurrency;
  }

  start(request: RunRequest): void {
    validateRunRequest(request, this.#startedCount);
    this.#startedCount += 1;
    const { file, args, options } = request;
    const result = this.#run(file, args, options);
    this.#results.push(result);
    const over = () => void this.#running.delete(result);
    this.#running.add(result);
    result.then(over, over); // `next` reports a rejection
  }

  next(): Promise<RunResult> {
    return this.#results.shift()!;
  }

  async allEnded(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  #isRunning(result: Promise<RunResult>): boolean {
    return this.#running.has(result);
  }

  /** Ends by the caller's signal for this run, or with the whole. */
  async #run(
    file: string,
    args: RunRequest['args'],
    options: RunRequest['options'] = {},
  ): Promise<RunResult> {
    const { signal } = options;
    if (signal === undefined || signal === null)
      return runOneShot(this.#core, file, args, { ...options, signal: this.#signal });
    signal.throwIfAborted();
    const either = new AbortController();
    const releases = [signal, this.#signal].map((each) => onAbort(each, () => either.abort(each.reason)));
    try {
      return await runOneShot(this.#core, file, args, { ...options, signal: either.signal });
    } finally {
      for (const release of releases) release();
    }
  }
}

function iteratorOf(requests: ManyRequests): AsyncIterator<RunRequest> | Iterator<RunRequest> {
  return Symbol.asyncIterator in requests
    ? requests[Symbol.asyncIterator]()
    : (requests as Iterable<RunRequest>)[Symbol.iterator]();
}
