/** Failures that a client is told of, by the answer they become. */
import { isSbxError } from '@sbx/core';

/** The request cannot be meant: 400. */
export class BadRequest extends Error {
  override name = 'BadRequest';
}

/** The request as a whole could not be carried out: 500, or `error` of a socket's answer. */
export class RunFailure extends Error {
  override name = 'RunFailure';
  /** For the header Retry-After, when trying again later makes sense. */
  readonly retryAfterMs: number | null;

  constructor(message: string, retryAfterMs: number | null = null) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}

/** Its client cancelled it before anything of it had begun. */
export class CancelledBefore extends RunFailure {
  override name = 'CancelledBefore';

  constructor() {
    super('cancelled before execute');
  }
}

/** A program that could not be started: status `Internal Error`, the others of its group go on. */
export class StartFailure extends Error {
  override name = 'StartFailure';
}

/** What to say of an error that has no words of its own here. */
export function plainText(error: unknown): string {
  if (isSbxError(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}
