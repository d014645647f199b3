import { EXIT } from './exit-codes.js';

/** A mistake of the user, told in one sentence, with the next step where there is one. */
export class UsageError extends Error {
  readonly exitCode: number;
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null, exitCode: number = EXIT.usage) {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
    this.exitCode = exitCode;
  }
}
