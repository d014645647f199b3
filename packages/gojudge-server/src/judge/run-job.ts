/** A whole request, from its turn to its outcomes. All front ends end here. */
import type { Runner, RunObserver } from '@sbx/core';
import type { Receiving, RequestRoom, Unsent } from '@sbx/serving';
import { AdmissionQueue } from '@sbx/shared';
import { RunFailure } from '../errors.js';
import type { FileStore } from '../store/store.js';
import { execute } from './execute.js';
import type { Job } from './job.js';
import { checkDescriptors } from './prepare.js';
import type { ProgramResult } from './program-result.js';
import type { Budget, RunScope } from './scope.js';
import type { Settings } from './settings.js';
import { Sources } from './sources.js';

/** Who counts runs. */
export interface RunMetrics {
  /** Of every program that ended. */
  observeResult(outcome: ProgramResult): void;
  /** Of every request that failed as a whole. */
  observeFailure(): void;
  /** Interactive runs, which have no worker. */
  countStream(change: 1 | -1): void;
}

/** What lives as long as the server. */
export interface ServerContext {
  engine: Runner;
  settings: Settings;
  store: FileStore;
  workers: Workers;
  receiving: Receiving;
  /** Requests that are not answered. */
  room: RequestRoom;
  /** Answers that have not left. */
  unsent: Unsent;
  metrics: RunMetrics | null;
  /** For live views. */
  observer: RunObserver | null;
}

/** Queued, as `/run` and `/ws` have it. Throws `RunFailure`. */
export async function runQueued(
  context: ServerContext,
  job: Job,
  signal: AbortSignal,
): Promise<ProgramResult[]> {
  const askedAt = performance.now();
  const entered = context.workers.enter(signal);
  const permit = entered instanceof Promise ? await entered : entered;
  try {
    return await runJob(context, job, { signal, cpuSet: permit.cpuSet, streams: null }, askedAt);
  } finally {
    permit.release();
  }
}

type JobScope = Pick<RunScope, 'signal' | 'cpuSet' | 'streams'>;

/**
 * At once, as `/stream` has it. Throws `RunFailure`. Nothing of a request that failed or was cancelled stays
 * in the store.
 */
export async function runJob(
  context: ServerContext,
  job: Job,
  { signal, cpuSet, streams }: JobScope,
  askedAt = performance.now(),
): Promise<ProgramResult[]> {
  const { engine, settings, store, unsent, metrics, observer } = context;
  let sources: Sources | null = null;
  try {
    if (!unsent.hasRoom) await unsent.whenRoom(); // what it brings would be held beside the rest
    if (namesFiles(job)) sources = await Sources.open(job, store, settings.srcPrefix);
    if (job.programs.length > 1 || job.programs[0]?.tty) checkDescriptors(job);
    const budget = budgetOf(job, settings);
    const outcomes = await execute(
      { engine, settings, store, job, sources, signal, cpuSet, streams, budget, observer },
      job,
    );
    if (signal.aborted) await store.drop(outcomes);
    if (metrics !== null) for (const outcome of outcomes) metrics.observeResult(outcome);
    if (observer !== null) reportEnd(observer, job, outcomes, askedAt);
    return outcomes;
  } catch (error) {
    metrics?.observeFailure();
    observer?.onEnd({ id: job.requestId, status: 'refused', latencyMs: performance.now() - askedAt });
    throw error;
  } finally {
    sources?.close();
  }
}

function reportEnd(
  observer: RunObserver,
  { requestId: id }: Job,
  outcomes: readonly ProgramResult[],
  askedAt: number,
): void {
  const latencyMs = performance.now() - askedAt;
  for (const { status } of outcomes) observer.onEnd({ id, status, latencyMs });
}

/** Of the host or of the store. */
function namesFiles({ programs }: Job): boolean {
  const isNamed = (file: { kind: string } | null) => file?.kind === 'src' || file?.kind === 'stored';
  return programs.some(
    ({ files, copyIn }) => files.some(isNamed) || copyIn.some(([, source]) => isNamed(source)),
  );
}

function budgetOf({ programs }: Job, { copyOutTotalBytes: totalBytes }: Settings): Budget {
  const shareBytes = Math.floor(totalBytes / Math.max(1, programs.length));
  return { totalBytes, shareBytes, leftBytes: totalBytes };
}

/** A place at work. `cpuSet`: the worker's own CPUs, when the server was given a list. */
export interface Permit {
  cpuSet: string | null;
  /** Safe to call twice. */
  release(): void;
}

/**
 * Admission as go-judge has it: so many requests at once, 512 more waiting, the rest refused. Each worker has
 * its CPUs, where the server was given a list.
 */
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
