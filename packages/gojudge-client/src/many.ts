/** Many independent runs, a few at a time: what `client.runMany` does. */
import type { CallOptions } from './call-options.js';
import type { RunCommand } from './command.js';
import { failure } from './errors.js';
import { disposeAll, type RunOutcome } from './outcome.js';
import { Slots } from './slots.js';

/**
 * Outcomes of `runMany`, in the order of the commands: all when awaited, or each in its turn in a
 * `for await`, of which there can be one. Leaving that loop cancels the runs under way, begins no more, and
 * deletes what those whose outcomes it has not had left on the server.
 */
export interface ManyOutcomes extends Promise<RunOutcome[]>, AsyncIterable<RunOutcome> {}

/** What is to be run, and by what. */
export interface ManyParts {
  commands: readonly RunCommand[];
  concurrency: number;
  signal: AbortSignal | undefined;
  run(command: RunCommand, options: CallOptions): Promise<RunOutcome>;
}

/** Starts them. What `check` throws is the error of the whole. */
export function startMany(check: () => ManyParts): ManyOutcomes {
  const many = new Many(check);
  const all = many.all();
  const loop = () => {
    all.catch(() => undefined); // the loop tells
    return many.loop();
  };
  return Object.assign(all, { [Symbol.asyncIterator]: loop });
}

class Many {
  readonly #stop = new AbortController();
  readonly #runs: readonly Promise<RunOutcome>[];
  #signal: AbortSignal | undefined;
  #isLooped = false;
  /** Outcomes before it are the loop's, and not ours to delete. */
  #givenCount = 0;

  constructor(check: () => ManyParts) {
    try {
      this.#runs = this.#start(check());
    } catch (error) {
      this.#runs = [Promise.reject(error)];
    }
  }

  async all(): Promise<RunOutcome[]> {
    for (const run of this.#runs)
      run.catch((error: unknown) => {
        if (!this.#isLooped) this.#stop.abort(error); // a loop first has the outcomes before it
      });
    const ended = await Promise.allSettled(this.#runs);
    const failed = ended.find((one) => one.status === 'rejected');
    if (failed === undefined) return Promise.all(this.#runs);
    if (!this.#isLooped) await this.#deleteRest();
    throw this.#stop.signal.aborted ? this.#stop.signal.reason : failed.reason;
  }

  loop(): AsyncGenerator<RunOutcome, void, undefined> {
    if (this.#isLooped) {
      const message = 'The outcomes of runMany can be looped over once; await them for a list.';
      throw failure('GOJUDGE_REQUEST', message);
    }
    this.#isLooped = true;
    return this.#each();
  }

  #start({ commands, concurrency, signal, run }: ManyParts): Promise<RunOutcome>[] {
    const slots = new Slots(concurrency);
    const { signal: stop } = this.#stop;
    const both = signal === undefined ? stop : AbortSignal.any([signal, stop]);
    this.#signal = signal;
    return Array.from(commands, (command) => slots.use(() => run(command, { signal: both }), both));
  }

  async *#each(): AsyncGenerator<RunOutcome, void, undefined> {
    try {
      for (const run of this.#runs) {
        const outcome = await run;
        this.#signal?.throwIfAborted();
        this.#givenCount += 1;
        yield outcome;
      }
    } finally {
      const message = 'The loop over these runs was left before their end.';
      this.#stop.abort(failure('GOJUDGE_CLOSED', message));
      await this.#deleteRest();
    }
  }

  async #deleteRest(): Promise<void> {
    const ended = await Promise.allSettled(this.#runs.slice(this.#givenCount));
    await disposeAll(ended.map((one) => (one.status === 'fulfilled' ? one.value : undefined)));
  }
}
