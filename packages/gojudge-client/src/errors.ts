/** What goes wrong between client and server. What a program did is never an error. */

/** Every code. */
export const CLIENT_ERROR_CODES = [
  'GOJUDGE_REQUEST', // the request is wrong: found before it was sent, or 400
  'GOJUDGE_UNAUTHORIZED', // 401
  'GOJUDGE_NOT_FOUND', // no such file: 404
  'GOJUDGE_RUN', // the request could not be carried out as a whole: 500
  'GOJUDGE_OVERLOADED', // the queue is full
  'GOJUDGE_CONNECTION', // nobody answers, or the connection went away
  'GOJUDGE_PROTOCOL', // the answer is none that a go-judge gives
  'GOJUDGE_CLOSED', // this client or stream was closed
  'GOJUDGE_OVERFLOW', // more output of an interactive run that nobody read, or a larger answer, than allowed
  'GOJUDGE_UNSUPPORTED', // not possible in this environment or with this server
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
  /** HTTP status, when there was one. */
  status?: number | null;
  /** Wait in ms that the server asked for. */
  retryAfterMs?: number | null;
  /** What it comes from. */
  cause?: unknown;
}

/** Every error of this client. Branch on `code`. */
export class GojudgeError extends Error {
  override readonly name = 'GojudgeError';
  readonly code: ClientErrorCode;
  /** Trying again later may help. */
  readonly retryable: boolean;
  readonly status: number | null;
  readonly retryAfterMs: number | null;

  constructor({
    code,
    message,
    retryable = false,
    status = null,
    retryAfterMs = null,
    cause,
  }: ClientErrorInit) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.retryable = retryable;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }
}

const QUEUE_FULL = 'worker queue is full';

/** A failure of a request as a whole, by its text: go-judge gives nothing else to tell them apart. */
export function runError(
  text: string,
  status: number | null = null,
  retryAfterMs: number | null = null,
): GojudgeError {
  const isFull = text === QUEUE_FULL;
  return new GojudgeError({
    code: isFull ? 'GOJUDGE_OVERLOADED' : 'GOJUDGE_RUN',
    message: text,
    retryable: isFull,
    status,
    retryAfterMs: isFull ? retryAfterMs : null,
  });
}

/** One that is not worth another try. */
export function failure(code: ClientErrorCode, message: string, status: number | null = null): GojudgeError {
  return new GojudgeError({ code, message, status });
}

/** For tests across copies of this package, where `instanceof` says no. */
export function isGojudgeError(value: unknown): value is GojudgeError {
  return value instanceof Error && value.name === 'GojudgeError' && 'code' in value;
}
