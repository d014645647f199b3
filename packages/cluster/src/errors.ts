/**
 * Errors that only a cluster has. What a worker's engine refused or could not do is the same error as on one
 * machine.
 */
import { SbxError } from '@sbx/core';

/**
 * Every worker that had the job disappeared, `maxAttempts` times. There is no verdict: the same job may end
 * well elsewhere.
 */
export class WorkerLostError extends SbxError {
  /** Workers that had it. */
  readonly attempts: number;

  constructor(attempts: number, why = 'The worker disappeared while the job ran') {
    const times = attempts === 1 ? '' : `, ${attempts} times`;
    const message = `${why}${times}: there is no verdict, and the job may be sent again under another id.`;
    super({ code: 'SBX_WORKER_LOST', message, details: { attempts } });
    this.attempts = attempts;
  }
}

/** The broker cannot be reached, does not answer, or refuses what is no job of anybody. */
export class ClusterUnavailableError extends SbxError {
  /** `guarantee`: what cannot be promised now, as a sentence; `state`: what the broker does instead. */
  constructor(guarantee: string, cause?: unknown, state = 'does not answer') {
    const message = `The broker of the cluster ${state}. ${guarantee}`;
    super({ code: 'SBX_CLUSTER_UNAVAILABLE', message, details: { guarantee }, cause });
  }
}

/** The broker does not let this user do what is needed. */
export class ClusterDeniedError extends SbxError {
  /** What was denied. */
  readonly operation: 'publish' | 'subscribe';
  /** Where: as it stands in a permission of NATS. */
  readonly subject: string;

  constructor(operation: 'publish' | 'subscribe', subject: string, cause?: unknown) {
    const what = `${operation === 'publish' ? 'publish to' : 'subscribe to'} ${JSON.stringify(subject)}`;
    const message = `The broker of the cluster does not allow its user to ${what}: give that permission.`;
    super({ code: 'SBX_CLUSTER_DENIED', message, details: { operation, subject }, cause });
    this.operation = operation;
    this.subject = subject;
  }
}

/** Another job has this id already. */
export class JobConflictError extends SbxError {
  /** The id. */
  readonly id: string;

  constructor(id: string) {
    const message = `Another job was submitted under the id ${JSON.stringify(id)}: the same id must be the same job, in each byte.`;
    super({ code: 'SBX_JOB_CONFLICT', message, details: { id } });
    this.id = id;
  }
}

/** The job had no result within `deadlineMs`, and was cancelled. */
export class JobDeadlineError extends SbxError {
  /** As it was given, in ms. */
  readonly deadlineMs: number;

  /** `cause`: why it was not further. */
  constructor(deadlineMs: number, state: string, cause?: unknown) {
    const message = `The job had no result after ${deadlineMs} ms (it was ${state}${whyOf(cause)}) and was cancelled.`;
    super({ code: 'SBX_JOB_DEADLINE', message, details: { deadlineMs, state }, cause });
    this.deadlineMs = deadlineMs;
  }
}

/** As the broker or the connection said it. */
function whyOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return error.cause instanceof Error ? whyOf(error.cause) : `: ${error.message}`;
}

/** Somebody cancelled the job: not the call that gets this error, but another with the same id. */
export class JobCancelledError extends SbxError {
  constructor(id: string) {
    super({
      code: 'SBX_JOB_CANCELLED',
      message: `The job ${JSON.stringify(id)} was cancelled.`,
      details: { id },
    });
  }
}

const CLASSES = {
  WorkerLostError,
  ClusterUnavailableError,
  ClusterDeniedError,
  JobConflictError,
  JobDeadlineError,
  JobCancelledError,
};

// As in core: written out, so that a minifier cannot change them.
for (const [name, type] of Object.entries(CLASSES)) {
  Object.defineProperty(type.prototype, 'name', { value: name, writable: true, configurable: true });
}
