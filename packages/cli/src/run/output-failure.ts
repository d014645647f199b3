/** An output of ours that takes no more. */
import { constants } from 'node:os';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';

/** The user or the system wants this command to end; also the reason of the abort. */
export class Interrupted extends Error {
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Whoever read it has gone, which is an end as by SIGPIPE; else it could not be written. */
export function outputFailure(
  stream: NodeJS.WriteStream,
  { code, message }: NodeJS.ErrnoException,
): Interrupted | UsageError {
  if (code === 'EPIPE') return new Interrupted('SIGPIPE');
  const name = stream === process.stderr ? 'stderr' : 'stdout';
  return new UsageError(`${name} cannot be written: ${message}`, null, EXIT.ioError);
}

export function isOutputFailure(error: unknown): error is Interrupted | UsageError {
  return error instanceof Interrupted || error instanceof UsageError;
}
