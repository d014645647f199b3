/** Errors of this protocol, on both sides. What the program did is never one of them: that is line 3. */

/**
 * Every code, whether the same call may succeed later, and what it means. Listed in docs/protocols/fifo.md.
 */
export const FIFO_ERROR_CODES = {
  SBX_FIFO_INVALID_OPTIONS: { retryable: false, meaning: 'An option was refused, before anything was done.' },
  SBX_FIFO_DIRECTORY: {
    retryable: false,
    meaning: 'The directory or its pipes cannot be made: it is in use, or may not be written.',
  },
  SBX_FIFO_GONE: {
    retryable: false,
    meaning:
      'There is no such directory, or its pipes are gone: the process was ended and cleaned up, or never was.',
  },
  SBX_FIFO_NO_MANAGER: {
    retryable: false,
    meaning: 'The pipes are there, but nobody answers for them: the manager has died.',
  },
  SBX_FIFO_DENIED: { retryable: false, meaning: 'The pipes belong to another user.' },
  SBX_FIFO_NOT_A_PIPE: {
    retryable: false,
    meaning: 'What is there under the name of a pipe is something else.',
  },
  SBX_FIFO_TIMEOUT: { retryable: true, meaning: 'No reply came within `requestTimeoutMs`.' },
  SBX_FIFO_BAD_REPLY: { retryable: true, meaning: 'What came is not a reply of three lines.' },
  SBX_FIFO_TERMINATED: {
    retryable: false,
    meaning: 'This client has already made the last call, after which nothing may be asked.',
  },
  SBX_FIFO_CLOSED: { retryable: false, meaning: 'The client was closed.' },
  SBX_FIFO_IO: { retryable: false, meaning: 'Another error of the system on a pipe; `cause` says which.' },
} as const satisfies Record<string, { retryable: boolean; meaning: string }>;

/** One of `FIFO_ERROR_CODES`. */
export type FifoErrorCode = keyof typeof FIFO_ERROR_CODES;

/** Found by symbol, since `instanceof` fails across two copies of a package. */
const BRAND = Symbol.for('@sbx/fifo-protocol/error');

/** What went wrong between a client and a manager. Branch on `code`. */
export class FifoError extends Error {
  /** Stable. */
  readonly code: FifoErrorCode;
  /** The same call may succeed later. */
  readonly retryable: boolean;
  /** The facts as plain data. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(init: {
    code: FifoErrorCode;
    message: string;
    details?: Record<string, unknown>;
    cause?: unknown;
  }) {
    super(init.message, 'cause' in init ? { cause: init.cause } : undefined);
    this.code = init.code;
    this.retryable = FIFO_ERROR_CODES[init.code].retryable;
    this.details = init.details ?? {};
  }

  /** For logs: no stack, no cause. */
  toJSON(): { name: string; code: FifoErrorCode; message: string; retryable: boolean; details: object } {
    const { name, code, message, retryable, details } = this;
    return { name, code, message, retryable, details };
  }

  static {
    Object.defineProperty(FifoError.prototype, BRAND, { value: true });
    Object.defineProperty(FifoError.prototype, 'name', {
      value: 'FifoError',
      writable: true,
      configurable: true,
    });
  }
}

/** Whether `error` is a `FifoError`, of whichever copy of this package. */
export function isFifoError(error: unknown): error is FifoError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}
