/** One job, as its submitter sees it. */
import { SbxError } from '@sbx/core';
import { ClusterDeniedError, JobConflictError, JobDeadlineError, WorkerLostError } from '../errors.js';
import type { TraceHeaders } from '../tracing/trace-context.js';
import type { JobRecord } from '../wire/record.js';

/**
 * `waiting`: in this process, for its tenant's turn. `queued`: at the broker. `leased`: a worker has it.
 * `ended`: its result, or why there is none, is known here.
 */
export type JobState = 'waiting' | 'queued' | 'leased' | 'ended';

/** How jobs are counted that have ended. */
export type JobEnding = 'done' | 'lost' | 'cancelled' | 'deadline' | 'conflict' | 'unreadable' | 'denied';

/** A count for each. */
export function noEndings(): Record<JobEnding, number> {
  return { done: 0, lost: 0, cancelled: 0, deadline: 0, conflict: 0, unreadable: 0, denied: 0 };
}

/** What is to be done. */
export interface SubmittedJob {
  id: string;
  tenant: string;
  priority: number;
  maxAttempts: number;
  /** From now until the result, in ms. */
  deadlineMs: number;
  orphanGraceMs: number;
  trace: TraceHeaders | null;
  bodyHash: string;
  body: Uint8Array;
}

export class JobTicket {
  readonly job: SubmittedJob;
  readonly tenant: string;
  readonly priority: number;
  state: JobState = 'waiting';
  /** Of the worker that has it, or had it last; 0 before. */
  attempt = 0;
  /** At the broker, to remove it by. */
  sequence: number | null = null;
  /** Why the broker has not taken it so far; `null`: it has, or was not asked. */
  refusal: unknown = null;
  /** When its record was looked for last. */
  lookedAt: number;
  /** Whatever comes of it is wanted no more. */
  isCancelled = false;
  /** Its caller wants what there is of it. */
  wantsResult = false;
  /** The call. */
  readonly submittedAt: number;
  /** How it ended; rejects with what kept it from ending. */
  readonly record: Promise<JobRecord>;
  stopDeadline: () => void = () => undefined;
  /** Of its record. */
  stopFollowing: () => void = () => undefined;
  #isLookWanted = false;
  #isLooking = false;
  #resolve!: (record: JobRecord) => void;
  #reject!: (error: unknown) => void;

  constructor(job: SubmittedJob, now: number) {
    this.job = job;
    this.tenant = job.tenant;
    this.priority = job.priority;
    this.submittedAt = now;
    this.lookedAt = now;
    this.record = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    this.record.catch(() => undefined); // told to whoever awaits it
  }

  /** Where it is, for whoever waited in vain, and what keeps it there. */
  get whereabouts(): [string, unknown] {
    return this.refusal === null ? [this.state, undefined] : ['not taken by the broker', this.refusal];
  }

  /**
   * One look at a time, and another where one was asked for meanwhile: a worker may say again and again that
   * there is something to see.
   */
  async look(read: () => Promise<void>): Promise<void> {
    this.#isLookWanted = true;
    if (this.#isLooking) return;
    this.#isLooking = true;
    while (this.#isLookWanted) {
      this.#isLookWanted = false;
      await read();
    }
    this.#isLooking = false;
  }

  /** Aborted when the job ends. */
  untilEnd(): AbortSignal {
    const controller = new AbortController();
    const end = () => controller.abort();
    this.record.then(end, end);
    return controller.signal;
  }

  resolve(record: JobRecord): void {
    this.#resolve(record);
  }

  reject(error: unknown): void {
    this.#reject(error);
  }
}

/** Why a job has no result. */
export function endingOf(error: unknown): Exclude<JobEnding, 'done'> {
  if (error instanceof WorkerLostError) return 'lost';
  if (error instanceof JobDeadlineError) return 'deadline';
  if (error instanceof JobConflictError) return 'conflict';
  if (error instanceof ClusterDeniedError) return 'denied';
  return error instanceof SbxError && error.code === 'SBX_INTERNAL' ? 'unreadable' : 'cancelled';
}

/** Why a job ends whose record is none of this version's. */
export function unreadable(cause: unknown): SbxError {
  const message = `The record of the job cannot be read (${(cause as Error).message}): its worker is of another version. Update the older one of both.`;
  return new SbxError({ code: 'SBX_INTERNAL', message, retryable: true, cause });
}
