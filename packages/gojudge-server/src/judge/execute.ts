/**
 * A request on the engine: a single program as a one-shot run, several as a group that settles each for
 * itself, and both as living programs where a connection streams. What comes back is the same in all four
 * cases.
 */
import {
  type EachGroupRequest,
  Engine,
  type GroupRequest,
  InvalidOptionsError,
  type Output,
  type RunResult,
  type SbxError,
} from '@sbx/core';
import { RunFailure } from '../errors.js';
import { attachStreams } from './attach.js';
import { keepFile } from './collect-outputs.js';
import { closeDescriptors, whenSent } from './descriptors.js';
import type { Job, JobPipe, JobProgram } from './job.js';
import { mapError, mapUntried, throwForRequest } from './map-error.js';
import { type Plan, planProgram } from './plan.js';
import type { ProgramResult } from './program-result.js';
import type { RunScope } from './scope.js';
import type { Settings } from './settings.js';
import { mapResult } from './verdict.js';

const NONE: ReadonlySet<number> = new Set();
const EMPTY = new Uint8Array(0);
const SEVERAL_LIVING =
  'several programs of one interactive request need an engine of this machine: send them to /run, or one program to /stream';

/** Throws `RunFailure`. */
export async function execute(scope: RunScope, job: Job): Promise<ProgramResult[]> {
  if (job.programs.length > 1) return executeGroup(scope, job);
  const [program] = job.programs;
  if (program === undefined) return [];
  for (;;) {
    const outcome = await executeAlone(scope, program);
    if (!scope.settings.strict || !leaveOut(program, outcome)) return [outcome];
  }
}

async function executeAlone(scope: RunScope, program: JobProgram): Promise<ProgramResult> {
  const planned = planProgram(scope, program, 0, NONE);
  const plan = planned instanceof Promise ? await planned : planned;
  if (plan.failure !== null) return mapUntried(scope, plan);
  let result: RunResult;
  try {
    result = await runAlone(scope, plan);
  } catch (error) {
    return mapError(scope, plan, error);
  }
  return mapResult(scope, plan, result);
}

async function runAlone(scope: RunScope, { index, request }: Plan): Promise<RunResult> {
  const { engine, signal, streams, job, observer } = scope;
  const { file, args, ...options } = request!;
  const whole = { signal, onAbort: 'resolve', ...options } as const;
  if (streams === null) return engine.run(file, args, whole);
  const process = await engine.spawn(file, args, whole);
  observer?.onStart(job.requestId, () => process.usage(), process.files);
  const sent = attachStreams(streams, { index, program: scope.job.programs[index]!, process });
  return whenSent(process.result, sent, closeDescriptors);
}

/** go-judge starts the program without what cannot be made. True when there is something to leave out. */
function leaveOut(program: JobProgram, { fileErrors }: ProgramResult): boolean {
  const names = new Set(fileErrors.filter(({ type }) => type === 'CopyInCreateFile').map(({ name }) => name));
  program.copyIn = program.copyIn.filter(([path]) => !names.has(path));
  return names.size > 0;
}

interface Together {
  results: (RunResult | null)[];
  errors: (SbxError | null)[];
  recordings: (Output | null)[];
}

async function executeGroup(scope: RunScope, job: Job): Promise<ProgramResult[]> {
  const plans = await Promise.all(
    job.programs.map((program, index) => planProgram(scope, program, index, takenBy(job.pipes, index))),
  );
  const { results, errors, recordings } = await runTogether(scope, job, plans);
  const settled = await Promise.allSettled(
    plans.map(async (plan, index) => {
      if (plan.failure !== null) return mapUntried(scope, plan);
      const result = results[index] ?? null;
      return result === null ? mapError(scope, plan, errors[index]) : mapResult(scope, plan, result);
    }),
  );
  const outcomes = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    await scope.store.drop(outcomes);
    throw failed.reason;
  }
  for (const [index, pipe] of job.pipes.entries()) {
    await keepRecording(scope, pipe, outcomes, recordings[index] ?? null);
  }
  return outcomes;
}

/** An option that only one program has wrong is its own failure: it is left out, and the others start. */
async function runTogether(scope: RunScope, job: Job, plans: readonly Plan[]): Promise<Together> {
  const recordedMax = recordedBytes(job, scope.settings);
  for (;;) {
    const request = {
      programs: plans.map((plan) => (plan.failure === null ? plan.request : null)),
      pipes: job.pipes.map((pipe) => pipeOf(pipe, recordedMax)),
      settle: 'each',
      signal: scope.signal,
      onAbort: 'resolve',
    } as const;
    try {
      return await (scope.streams === null
        ? scope.engine.runGroup(request)
        : runLiving(scope, plans, request));
    } catch (error) {
      throwForRequest(scope, error);
      const index = error instanceof InvalidOptionsError ? error.programIndex : null;
      const plan = index === null ? undefined : plans[index];
      if (plan === undefined || plan.failure !== null) throw error;
      plan.failure = await mapError(scope, plan, error);
    }
  }
}

async function runLiving(
  { engine, streams }: RunScope,
  plans: readonly Plan[],
  request: EachGroupRequest,
): Promise<Together> {
  if (!(engine instanceof Engine)) throw new RunFailure(SEVERAL_LIVING);
  const group = await engine.spawnGroup(request);
  const sending = group.processes.map((process, index) => {
    if (process === null) return undefined;
    return attachStreams(streams!, { index, program: plans[index]!.program, process });
  });
  return whenSent(group.result, Promise.all(sending), ({ results }) => {
    for (const result of results) closeDescriptors(result);
  });
}

/** The reader of a proxy may go: the writer never notices. */
function pipeOf(
  { writer, reader, proxy, name, max }: JobPipe,
  recordedMax: number,
): NonNullable<GroupRequest['pipes']>[number] {
  const ends = { from: writer, to: reader };
  if (!proxy) return ends;
  const maxBytes = name === '' ? 0 : Math.max(0, Math.min(max, recordedMax));
  return { ...ends, record: { maxBytes, drain: true } };
}

/** Of one proxy; all of them are in memory at once. */
function recordedBytes({ pipes }: Job, { collectMaxBytes, copyOutTotalBytes }: Settings): number {
  const count = pipes.filter(({ proxy, name }) => proxy && name !== '').length;
  return Math.min(collectMaxBytes, Math.floor(copyOutTotalBytes / Math.max(1, count)));
}

function takenBy(pipes: readonly JobPipe[], index: number): ReadonlySet<number> {
  const ends = pipes.flatMap(({ writer, reader }) => [writer, reader]);
  return new Set(ends.filter((end) => end.index === index).map(({ fd }) => fd));
}

/** Its files could not be copied in. */
function isUntried({ fileErrors }: ProgramResult): boolean {
  return fileErrors.some(({ type }) => type === 'Symlink' || type.startsWith('CopyIn'));
}

/** The first bytes that went by belong to the writer; of two things of one name the first is told. */
async function keepRecording(
  scope: RunScope,
  { name, proxy, writer }: JobPipe,
  outcomes: readonly ProgramResult[],
  recording: Output | null,
): Promise<void> {
  const outcome = outcomes[writer.index]!;
  if (!proxy || name === '' || isUntried(outcome) || outcome.files.has(name) || outcome.fileIds.has(name))
    return;
  const cached = scope.job.programs[writer.index]!.cachedNames.has(name);
  await keepFile(scope, { ...outcome, failure: null }, { name, cached, content: recording?.bytes ?? EMPTY });
}
