/** Jobs that callers name, and what they hold of them. */
import type { RunRequest, RunResult } from '@sbx/core';

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
