/** Many one-shot runs, a few at a time: what `engine.runMany` does. */
import { onAbort } from '@sbx/shared';
import type { EngineCore } from '../engine/core.js';
import { ClosedError } from '../errors.js';
import { validateRunMany, validateRunRequest } from '../options/run-many.js';
import { runOneShot } from '../run/one-shot.js';
import { holdInputs } from '../run/stdio/inputs.js';
import type { EachRunManyOptions, RunManyOptions } from '../types/program.js';
import type { RunResult } from '../types/result.js';
import type { ManyRequests, ManyResults, RunRequest } from './options.js';

/** What is known of one request's end. */
type ManyResult = RunResult | PromiseSettledResult<RunResult>;

/** The results, one by one in a loop, or all when awaited: a generator alone would run nothing then. */
export function runMany(
  core: EngineCore,
  requests: ManyRequests,
  options?: RunManyOptions | EachRunManyOptions,
): ManyResults<ManyResult> {
  const results = eachResult(core, requests, options);
  let all: Promise<ManyResult[]> | null = null;
  const collected = () => {
    all ??= collect(results);
    return all;
  };
  const asPromise: Pick<Promise<ManyResult[]>, 'then' | 'catch' | 'finally'> = {
    // biome-ignore lint/suspicious/noThenProperty: awaiting the results is the point of it
    then: (onDone, onFailed) => collected().then(onDone, onFailed),
    catch: (onFailed) => collected().catch(onFailed),
    finally: (onEnd) => collected().finally(onEnd),
  };
  return Object.assign(results, asPromise) as ManyResults<ManyResult>; // its tag is that of all generators
}

async function collect<Result>(results: AsyncIterable<Result>): Promise<Result[]> {
  const all: Result[] = [];
  for await (const result of results) all.push(result);
  return all;
}

/**
 * Results in the order of the requests. Never more than `concurrency` run, and as many again wait to be
 * taken. A result is not kept back for a request that has not come: who makes the requests may wait for it.
 */
async function* eachResult(
  core: EngineCore,
  requests: ManyRequests,
  options: RunManyOptions | EachRunManyOptions = {},
): AsyncGenerator<ManyResult, void, undefined> {
  validateRunMany(requests, options);
  const { places, queueLength } = core.queue.bounds;
  const { settle, signal } = options;
  const concurrency = Math.min(options.concurrency ?? places, places + queueLength);
  signal?.throwIfAborted();
  const stop = new AbortController();
  const changes = new Changes();
  const abort = () => {
    stop.abort(signal?.reason);
    changes.note();
  };
  const release = onAbort(signal, abort);
  const source = new Source(requests, changes);
  const endsAll = (reason: unknown) =>
    stop.signal.aborted || source.hasThrown(reason) || reason instanceof ClosedError;
  const runs = new Runs(core, { signal: stop.signal, concurrency, changes });
  try {
    for (;;) {
      const mayTake = runs.hasRoom && !source.isEnded && !stop.signal.aborted;
      if (mayTake && (await source.hasNext())) runs.start(source);
      else if (runs.isFirstOver || (!runs.isEmpty && (source.isEnded || stop.signal.aborted)))
        yield settle === 'each' ? await settled(runs.next(), endsAll) : await runs.next();
      else if (stop.signal.aborted) throw stop.signal.reason;
      else if (source.isEnded) return;
      else await changes.next();
    }
  } finally {
    release();
    stop.abort();
    await runs.allEnded();
    await source.close();
  }
}

/** How a run ended. Rejects with a reason that ends all of them. */
async function settled(
  run: Promise<RunResult>,
  endsAll: (reason: unknown) => boolean,
): Promise<PromiseSettledResult<RunResult>> {
  const [outcome] = await Promise.allSettled([run]);
  if (outcome.status === 'rejected' && endsAll(outcome.reason)) throw outcome.reason;
  return outcome;
}

/** Something that is waited for may have happened: a run is over, a request has come, all is aborted. */
class Changes {
  #hasNew = false;
  #wake: () => void = () => undefined;

  note(): void {
    this.#hasNew = true;
    this.#wake();
  }

  /** Resolves at the next one, or at once when there has been one since the last call. */
  async next(): Promise<void> {
    if (!this.#hasNew) await new Promise<void>((resolve) => (this.#wake = resolve));
    this.#hasNew = false;
  }
}

/** The requests, one at a time. */
class Source {
  isEnded = false;
  #thrown: { error: unknown } | null = null;
  readonly #iterator: AsyncIterator<RunRequest> | Iterator<RunRequest>;
  readonly #changes: Changes;
  /** Until the one that has been asked for has come, or the end. */
  #asking: Promise<void> | null = null;
  #come: { request: RunRequest } | { error: unknown } | null = null;

  constructor(requests: ManyRequests, changes: Changes) {
    this.#iterator = iteratorOf(requests);
    this.#changes = changes;
  }

  /** Asks for the next one, and gives a source that does not say at once a turn of the loop to do so. */
  async hasNext(): Promise<boolean> {
    if (this.#come !== null) return true;
    this.#asking ??= this.#ask();
    if (this.#asking !== null) await withinTurn(this.#asking);
    return this.#come !== null;
  }

  /** The one that has come. Throws what the source threw, which is its end. */
  take(): RunRequest {
    const come = this.#come!;
    this.#come = null;
    if ('request' in come) return come.request;
    this.isEnded = true;
    this.#thrown = come;
    throw come.error;
  }

  hasThrown(error: unknown): boolean {
    return this.#thrown !== null && this.#thrown.error === error;
  }

  /** Nothing more is taken. One that has been asked for may never come. */
  async close(): Promise<void> {
    const closing = Promise.resolve(this.#iterator.return?.());
    if (this.#asking !== null) closing.catch(() => undefined);
    else await closing;
  }

  /** `null` where the source has answered already, as an array does. */
  #ask(): Promise<void> | null {
    try {
      const next = this.#iterator.next();
      if ('then' in next) return this.#wait(next);
      this.#note(next);
    } catch (error) {
      this.#come = { error };
    }
    return null;
  }

  async #wait(next: Promise<IteratorResult<RunRequest>>): Promise<void> {
    try {
      this.#note(await next);
    } catch (error) {
      this.#come = { error };
    }
    this.#asking = null;
    this.#changes.note();
  }

  #note(next: IteratorResult<RunRequest>): void {
    if (next.done) this.isEnded = true;
    else this.#come = { request: next.value };
  }
}

/** Resolves when it is over, or at the next turn of the loop. */
async function withinTurn(work: Promise<void>): Promise<void> {
  let turn: NodeJS.Immediate | undefined;
  const over = new Promise<void>((resolve) => {
    turn = setImmediate(resolve);
  });
  await Promise.race([work, over]);
  clearImmediate(turn);
}

interface RunsOptions {
  signal: AbortSignal;
  concurrency: number;
  changes: Changes;
}

/** Runs that were started and whose results have not been taken. */
class Runs {
  readonly #core: EngineCore;
  readonly #options: RunsOptions;
  readonly #results: Promise<RunResult>[] = [];
  readonly #running = new Set<Promise<unknown>>();
  #takenCount = 0;

  constructor(core: EngineCore, options: RunsOptions) {
    this.#core = core;
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#results.length === 0;
  }

  /** The next result is there to be taken. */
  get isFirstOver(): boolean {
    const [first] = this.#results;
    return first !== undefined && !this.#running.has(first);
  }

  /** There is a place, and not too much lies there already. */
  get hasRoom(): boolean {
    const { concurrency } = this.#options;
    return this.#running.size < concurrency && this.#results.length < 2 * concurrency;
  }

  /** A request that is refused, and what the source throws, have their place among the results as well. */
  start(source: Source): void {
    const result = this.#take(source);
    this.#results.push(result);
    const over = () => {
      this.#running.delete(result);
      this.#options.changes.note();
    };
    this.#running.add(result);
    result.then(over, over); // `next` reports a rejection
  }

  next(): Promise<RunResult> {
    return this.#results.shift()!;
  }

  async allEnded(): Promise<void> {
    await Promise.allSettled(this.#running);
  }

  async #take(source: Source): Promise<RunResult> {
    const request = source.take();
    const index = this.#takenCount;
    this.#takenCount += 1;
    validateRunRequest(request, index);
    holdInputs(request.options);
    return this.#run(request.file, request.args, request.options);
  }

  /** Ends by the caller's signal for this run, or with the whole. */
  async #run(
    file: string,
    args: RunRequest['args'],
    options: RunRequest['options'] = {},
  ): Promise<RunResult> {
    const { signal } = options;
    const { signal: ofAll } = this.#options;
    if (signal === undefined || signal === null)
      return runOneShot(this.#core, file, args, { ...options, signal: ofAll });
    signal.throwIfAborted();
    const either = new AbortController();
    const releases = [signal, ofAll].map((each) => onAbort(each, () => either.abort(each.reason)));
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
