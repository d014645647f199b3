/** A whole request, from its turn to its outcomes. All front ends end here. */
import type { Engine } from '@sbx/core';
import { plainText } from '../errors.js';
import type { Settings } from '../settings.js';
import type { FileStore } from '../store/store.js';
import type { Job } from './job.js';
import { type Link, makeLinks } from './links.js';
import { noteFileError, type Outcome } from './outcome.js';
import { checkDescriptors } from './prepare.js';
import { runProgram } from './program-run.js';
import type { RunScope, StreamTarget } from './scope.js';
import { Sources } from './sources.js';
import type { Workers } from './workers.js';

/** What lives as long as the server. */
export interface Judge {
  engine: Engine;
  settings: Settings;
  store: FileStore;
  workers: Workers;
  /** Told of every program's end, and of every request that failed as a whole. */
  observe(outcome: Outcome): void;
  observeFailure(): void;
}

/** Queued, as `/run` and `/ws` have it. Throws `RunFailure`. */
export async function runQueued(judge: Judge, job: Job, signal: AbortSignal): Promise<Outcome[]> {
  const entered = judge.workers.enter(signal);
  const turn = entered instanceof Promise ? await entered : entered;
  try {
    return await runJob(judge, job, { signal, cpuSet: turn.cpuSet, streams: null });
  } finally {
    turn.leave();
  }
}

type JobScope = Pick<RunScope, 'signal' | 'cpuSet'> & { streams: StreamTarget | null };

/** At once, as `/stream` has it. Throws `RunFailure`; then nothing of the request stays in the store. */
export async function runJob(
  judge: Judge,
  job: Job,
  { signal, cpuSet, streams }: JobScope,
): Promise<Outcome[]> {
  const { engine, settings, store } = judge;
  let sources: Sources | undefined;
  try {
    sources = await Sources.open(job, store);
    checkDescriptors(job, settings);
    const scope: RunScope = { engine, settings, store, sources, signal, cpuSet, streams };
    const outcomes = await runAll(scope, job);
    for (const outcome of outcomes) judge.observe(outcome);
    return outcomes;
  } catch (error) {
    judge.observeFailure();
    throw error;
  } finally {
    await sources?.close();
  }
}

async function runAll(scope: RunScope, job: Job): Promise<Outcome[]> {
  const { ends, all } = makeLinks(job);
  const settled = await Promise.allSettled(
    job.programs.map((program, index) => runProgram(scope, { program, index, ends: ends[index]! })),
  );
  const outcomes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await dropStored(scope.store, outcomes);
    throw failed.reason;
  }
  for (const link of all) await keepRecording(scope, link, job, outcomes);
  return outcomes;
}

/** The first bytes that went by belong to the writer. */
async function keepRecording({ store }: RunScope, link: Link, job: Job, outcomes: Outcome[]): Promise<void> {
  const { name, proxy, writer } = link.pipe;
  const bytes = await link.recording;
  if (!proxy || name === '') return;
  const { files, fileIds, fileErrors } = outcomes[writer.index]!;
  if (!job.programs[writer.index]!.cachedNames.has(name)) return void files.set(name, bytes);
  try {
    fileIds.set(name, await store.add(name, bytes));
  } catch (error) {
    const gathered = { files, fileIds, fileErrors, failure: null };
    noteFileError(gathered, name, 'CopyOutCreateFile', plainText(error));
  }
}

/** Takes back what nobody will be told of. */
export async function dropStored(store: FileStore, outcomes: readonly Outcome[]): Promise<void> {
  for (const { fileIds } of outcomes) for (const id of fileIds.values()) await store.delete(id);
}
