/**
 * The base of all errors, apart from those that name results: output and results know it without knowing
 * them.
 */
import { ERROR_CODES, type ErrorCode } from './error-codes.js';

/** Every constructor takes these besides its own facts. */
export interface SbxErrorInit<Code extends ErrorCode = ErrorCode> {
  code: Code;
  message: string;
  /** Plain data that may be shown to a peer: never environment, file contents or program text. */
  details?: Record<string, unknown>;
  cause?: unknown;
  /** When this one case differs from the table. */
  retryable?: boolean;
}

/**
 * Shared by all copies of this package in a process: `instanceof` fails across two of them, the brand does
 * not.
 */
const BRAND = Symbol.for('@sbx/core/error');

/**
 * Base of all errors of this library. Branch on `code`; sub-classes exist where a caller needs their fields.
 */
export class SbxError extends Error {
  /** Stable; the meaning is in `ERROR_CODES`. */
  readonly code: ErrorCode;
  /** The same call may succeed later without a change by the caller. */
  readonly retryable: boolean;
  /** The facts as plain data. Empty when there are none. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(init: SbxErrorInit) {
    super(init.message, 'cause' in init ? { cause: init.cause } : undefined);
    this.code = init.code;
    this.retryable = init.retryable ?? ERROR_CODES[init.code].retryable;
    this.details = init.details ?? {};
  }

  /**
   * For logs and wires: name, code, message, retryable, details. No stack and no cause: they name things of
   * the host.
   */
  toJSON(): { name: string; code: ErrorCode; message: string; retryable: boolean; details: object } {
    const { name, code, message, retryable, details } = this;
    return { name, code, message, retryable, details };
  }
}

/** Whether it was made by this or another copy of this package. */
export function hasBrand(error: unknown): boolean {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}

// On the prototypes, as the names of built-in errors: written out, so that a minifier cannot change them.
Object.defineProperty(SbxError.prototype, BRAND, { value: true });
Object.defineProperty(SbxError.prototype, 'name', { value: 'SbxError', writable: true, configurable: true });
