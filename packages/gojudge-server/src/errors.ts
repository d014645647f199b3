/** Failures that a client is told of, by the answer they become. */
import { FileAccessError, InvalidOptionsError, isSbxError } from '@sbx/core';

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

/** A program that could not be started: status `Internal Error`, the others of its group go on. */
export class StartFailure extends Error {
  override name = 'StartFailure';
}

/** Error numbers in the words of Go's syscall package. */
const ERRNO_TEXT: Readonly<Record<number, string>> = {
  1: 'operation not permitted',
  2: 'no such file or directory',
  5: 'input/output error',
  6: 'no such device or address',
  7: 'argument list too long',
  8: 'exec format error',
  11: 'resource temporarily unavailable',
  12: 'cannot allocate memory',
  13: 'permission denied',
  17: 'file exists',
  18: 'invalid cross-device link',
  20: 'not a directory',
  21: 'is a directory',
  22: 'invalid argument',
  24: 'too many open files',
  26: 'text file busy',
  27: 'file too large',
  28: 'no space left on device',
  30: 'read-only file system',
  36: 'file name too long',
  40: 'too many levels of symbolic links',
};

export function errnoText(errno: number): string {
  return ERRNO_TEXT[Math.abs(errno)] ?? `errno ${Math.abs(errno)}`;
}

/** Number of a system error of Node or of the engine; ENOENT where a path was refused by its form, 0 for no such error. */
export function errnoOf(error: unknown): number {
  if (error instanceof InvalidOptionsError) return 2;
  if (error instanceof FileAccessError) return Math.abs(error.errno);
  const { errno } = error as { errno?: unknown };
  return typeof errno === 'number' ? Math.abs(errno) : 0;
}

/** What to say of an error that has no words of its own here. */
export function plainText(error: unknown): string {
  if (isSbxError(error)) return error.message;
  return error instanceof Error ? error.message : String(error);
}
