/** The workers of a cluster, for the live view. */
import type { ClusterMessage, WorkerFigures } from '@sbx/console/wire';
import type { Runner, RunnerQueue, RunnerWorker } from '@sbx/core';
import { guaranteesOf } from './hello.js';

/** More are counted and not listed: a message goes to every page. */
const LISTED_MAX = 256;

export class ClusterView {
  readonly #engine: Runner;
  #queue: RunnerQueue | null = null;
  #isAsking = false;

  constructor(engine: Runner) {
    this.#engine = engine;
  }

  /** As it is now, the queue as of the answer to the last question, which is asked again. */
  text(): string {
    void this.#askQueue();
    const workers = this.#engine.workers?.() ?? [];
    const message: ClusterMessage = {
      type: 'cluster',
      workers: workers.slice(0, LISTED_MAX).map(figuresOf),
      workerCount: workers.length,
      queue: this.#queue === null ? null : shownOf(this.#queue),
      guarantees: guaranteesOf(this.#engine.info()),
    };
    return JSON.stringify(message);
  }

  async #askQueue(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#queue = (await this.#engine.queue?.().catch(() => null)) ?? null; // the broker is gone
    this.#isAsking = false;
  }
}

function shownOf({ waiting, running, oldestMs }: RunnerQueue): ClusterMessage['queue'] {
  return { waiting, running, oldestMs };
}

function figuresOf(worker: RunnerWorker): WorkerFigures {
  const { name, host, slots, running, isDraining, languages, labels, info } = worker;
  return {
    name,
    host,
    slots,
    running,
    isDraining,
    languages: languages.map((language) => language.name),
    labels,
    version: info.version,
    missing: guaranteesOf(info)
      .filter(({ available }) => !available)
      .map(({ name: guarantee, required, reason }) => ({ name: guarantee, required, reason })),
  };
}
