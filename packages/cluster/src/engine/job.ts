/** Jobs that callers name, and what they hold of them. */
import { optionRules, type RunRequest, type RunResult } from '@sbx/core';
import { TIMER_MS_MAX } from '@sbx/shared';
import { ATTEMPTS_MAX, checkName, checkNumber, JOB_ID, TENANT } from '../names.js';
import type { JobSettings } from './jobs.js';

/** A job with a name of the caller's. */
export interface ClusterJob {
  /**
   * 1 to 128 of A-Z, a-z, 0-9, `_`, `-`; unique within the tenant. The same id is the same job, also from
   * another process, as long as its result is kept.
   */
  id: string;
  /** Whose job it is. Default: the engine's. */
  tenant?: string | undefined;
  /** Higher goes first among the jobs of its tenant, -1000 to 1000. Default 0. */
  priority?: number | undefined;
  /** What is to be run, as for `run`. */
  request: RunRequest;
  /** From now until the result, in ms. Default: the engine's. */
  deadlineMs?: number | undefined;
  /** Workers that may try it. Default: the engine's. */
  maxAttempts?: number | undefined;
}

/** A job on its way. */
export interface ClusterTicket {
  /** As of the job. */
  readonly id: string;
  /** How it ended; rejects with `WorkerLostError`, `JobDeadlineError`, `JobConflictError` or a refusal. */
  readonly result: Promise<RunResult>;
  /** Where it is now. */
  readonly state: 'waiting' | 'queued' | 'leased' | 'ended';
  /** Ends it, wherever it is: `result` rejects with `reason`. Resolves when no result counts any more. */
  cancel(reason?: unknown): Promise<void>;
}

const EXAMPLE = "{ id: 'submission-7', request: { file: 'python3', args: ['main.py'], options: { files } } }";

/** Looked at by `settingsOf`, and as of `engine.run`. */
const later = optionRules.by(() => null);

const REQUEST_TABLE = optionRules.table<RunRequest>('a request, as of engine.run', {
  file: later,
  args: later,
  options: later,
});
const JOB_TABLE = optionRules.table<ClusterJob>(
  'a job of ClusterEngine.submit',
  {
    ...{ id: later, tenant: later, priority: later, deadlineMs: later, maxAttempts: later },
    request: optionRules.nested(REQUEST_TABLE),
  },
  { required: ['id', 'request'], example: EXAMPLE },
);

/** Settings of a job, or of its engine where it has none. Throws `InvalidOptionsError`. */
export function settingsOf(job: ClusterJob, defaults: JobSettings): JobSettings & { id: string } {
  const found = optionRules.checkTable(job, JOB_TABLE);
  if (found !== null) optionRules.throwProblem('job', found);
  const { id, tenant = defaults.tenant, priority = 0 } = job;
  const { deadlineMs = defaults.deadlineMs, maxAttempts = defaults.maxAttempts } = job;
  checkName('job.id', id, JOB_ID);
  checkName('job.tenant', tenant, TENANT);
  checkNumber('job.priority', priority, { min: -1000, max: 1000 });
  checkNumber('job.deadlineMs', deadlineMs, { min: 1, max: TIMER_MS_MAX });
  checkNumber('job.maxAttempts', maxAttempts, { min: 1, max: ATTEMPTS_MAX, isWhole: true });
  return { ...defaults, id, tenant, priority, deadlineMs, maxAttempts };
}
