/**
 * What is wrong with a worker and not with its job: another attempt, elsewhere or later, may end better. A
 * program that was killed by it has no verdict.
 */
import { type ErrorCode, isSbxError } from '@sbx/core';

const CODES: ReadonlySet<ErrorCode> = new Set(['SBX_SANDBOX_LOST', 'SBX_HOST_MEMORY', 'SBX_OVERLOADED']);
const FIRST_MS = 250;
const LONGEST_MS = 30_000;

/** A job was not carried out. */
export class WorkerFault extends Error {
  override name = 'WorkerFault';
  /** For its submitter, where no attempt is left. */
  readonly outcome: Uint8Array;

  constructor(outcome: Uint8Array, cause: unknown) {
    super('the worker could not carry the job out', { cause });
    this.outcome = outcome;
  }
}

/** Of what a job is told by an error, what no job can bring about; a full disk of the worker is one, too. */
export function isWorkersFault(error: unknown): boolean {
  if (isSbxError(error)) return CODES.has(error.code);
  return typeof (error as NodeJS.ErrnoException | null)?.syscall === 'string';
}

/** Until the next attempt, in ms: the same worker may be the only one, and needs its time. */
export function nextAttemptMs(attempt: number): number {
  return Math.min(FIRST_MS * 4 ** (attempt - 1), LONGEST_MS);
}
