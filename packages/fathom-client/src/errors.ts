/** What goes wrong between client and server. What a program did is never an error, but a status. */
import type { WireErrorCode } from './wire/index.js';

/** Every code. */
export const CLIENT_ERROR_CODES = [
  'FATHOM_REQUEST', // the request, or an option of the client, is wrong: found before anything was sent
  'FATHOM_REJECTED', // the server answered with an error; `wireCode` says which
  'FATHOM_CONNECTION', // nobody answers, or the connection went away
  'FATHOM_UNAUTHORIZED', // 401
  'FATHOM_VERSION', // the server speaks another version
  'FATHOM_PROTOCOL', // the server sent what no server sends
  'FATHOM_CLOSED', // this client was closed
  'FATHOM_UNSUPPORTED', // not possible in this environment
] as const;
/** One of `CLIENT_ERROR_CODES`. */
export type ClientErrorCode = (typeof CLIENT_ERROR_CODES)[number];

/** What an error is made of. */
export interface ClientErrorInit {
  /** What kind of error it is: branch on this. */
  code: ClientErrorCode;
  /** A sentence for people. */
  message: string;
  /** The same request may succeed later. Default false. */
  retryable?: boolean;
  /** The server's own code. Default `null`. */
  wireCode?: WireErrorCode | (string & {}) | null;
  /** Of the execution that it ended. */
  executionId?: string | null;
  /** What it comes from. */
  cause?: unknown;
}

/** Every error of this client. Branch on `code`, and on `wireCode` for those of the server. */
export class FathomError extends Error {
  override readonly name = 'FathomError';
  readonly code: ClientErrorCode;
  /** The same request may succeed later: as the server said, and always when the connection went away. */
  readonly retryable: boolean;
  /** The server's own code; a later server may have others than those listed. */
  readonly wireCode: WireErrorCode | (string & {}) | null;
  readonly executionId: string | null;

  constructor({
    code,
    message,
    retryable = false,
    wireCode = null,
    executionId = null,
    cause,
  }: ClientErrorInit) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    this.wireCode = wireCode;
    this.executionId = executionId;
  }
}

/** For tests across copies of this package, where `instanceof` says no. */
export function isFathomError(value: unknown): value is FathomError {
  return value instanceof Error && value.name === 'FathomError' && 'code' in value;
}

/** The connection did not come to be, or went away. */
export function connectionError(message: string, cause?: unknown): FathomError {
  return new FathomError({ code: 'FATHOM_CONNECTION', message, retryable: true, cause });
}

/**
 * Causes for which another connection would go the same way, or does not come: the server refuses us, or is
 * none of this protocol, or the caller closed the client.
 */
const FINAL_CODES: readonly ClientErrorCode[] = [
  'FATHOM_UNAUTHORIZED',
  'FATHOM_VERSION',
  'FATHOM_PROTOCOL',
  'FATHOM_CLOSED',
];

/** For what was under way when the connection went away: a final cause as it is, else a retryable error. */
export function lostError(message: string, cause: FathomError | null): FathomError {
  const isFinal = cause !== null && FINAL_CODES.includes(cause.code);
  return isFinal ? cause : connectionError(message, cause ?? undefined);
}
