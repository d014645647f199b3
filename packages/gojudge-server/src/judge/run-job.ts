/** A whole request, from its turn to its outcomes. All front ends end here. */
import type { Runner, RunObserver } from '@sbx/core';
import type { Receiving } from '../http/connection/receiving.js';
import type { FileStore } from '../store/store.js';
import { RequestBudget } from './budget.js';
import { execute } from './execute.js';
import type { Job } from './job.js';
import { checkDescriptors } from './prepare.js';
import type { ProgramResult } from './program-result.js';
import type { RunScope } from './scope.js';
import type { Settings } from './settings.js';
import { Sources } from './sources.js';
import type { Workers } from './workers.js';

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
  const { engine, settings, store, metrics, observer } = context;
  let sources: Sources | null = null;
  try {
    const opening = Sources.open(job, store, settings.srcPrefix);
    if (opening !== null) sources = await opening;
    checkDescriptors(job);
    const budget = new RequestBudget(settings);
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
