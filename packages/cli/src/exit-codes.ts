/**
 * What `sbx` exits with; docs/cli.md has the same tables. A program's own end comes first, as a shell reports
 * it; the codes of `sbx` itself are those of sysexits(3). A program may use any code, so scripts that must be
 * sure read `--json`. Every command loads this, help too, so nothing of the engine is loaded here.
 */
import type { ErrorCode } from '@sbx/core';
import type { FifoErrorCode } from '@sbx/fifo-client';

export const EXIT = {
  ok: 0,
  failed: 1, // doctor: a requirement does not hold
  usage: 64,
  compileFailed: 65,
  noInput: 66,
  unknownLanguage: 67,
  unavailable: 69,
  internal: 70,
  ioError: 74,
  tryAgain: 75,
  noPermission: 77,
  timeLimit: 124, // as timeout(1)
  notExecutable: 126, // as a shell
  notFound: 127, // as a shell
  brokenPipe: 141,
} as const;

/** Errors of the library. A new code breaks the build here. */
const BY_ERROR: Readonly<Record<ErrorCode | 'SBX_LANGUAGE_UNAVAILABLE', number>> = {
  SBX_INVALID_OPTIONS: EXIT.usage,
  SBX_CLOSED: EXIT.internal,
  SBX_UNSUPPORTED_PLATFORM: EXIT.unavailable,
  SBX_NATIVE_UNAVAILABLE: EXIT.unavailable,
  SBX_REQUIRED_FEATURE_MISSING: EXIT.unavailable,
  SBX_PERMISSION: EXIT.noPermission,
  SBX_OVERLOADED: EXIT.tryAgain,
  SBX_LANGUAGE_UNAVAILABLE: EXIT.unavailable,
  SBX_PROGRAM_NOT_FOUND: EXIT.notFound,
  SBX_PROGRAM_NOT_EXECUTABLE: EXIT.notExecutable,
  SBX_PROGRAM_TOO_BIG: EXIT.notExecutable,
  SBX_BAD_CWD: EXIT.usage,
  SBX_ABORTED: EXIT.internal,
  SBX_SANDBOX_SETUP: EXIT.internal,
  SBX_SANDBOX_LOST: EXIT.internal,
  SBX_HOST_MEMORY: EXIT.tryAgain,
  SBX_PORT_UNREACHABLE: EXIT.unavailable,
  SBX_PORT_UNAVAILABLE: EXIT.unavailable,
  SBX_FILE_NOT_FOUND: EXIT.noInput,
  SBX_FILE_EXISTS: EXIT.ioError,
  SBX_FILE_IS_FOLDER: EXIT.noInput,
  SBX_FILE_NOT_FOLDER: EXIT.noInput,
  SBX_FILE_NOT_EMPTY: EXIT.ioError,
  SBX_FILE_NOT_REGULAR: EXIT.noInput,
  SBX_FILE_OUTSIDE: EXIT.noInput,
  SBX_FILE_DENIED: EXIT.noInput,
  SBX_FILE_TOO_LARGE: EXIT.ioError,
  SBX_FILE_NO_SPACE: EXIT.ioError,
  SBX_FILE_IO: EXIT.ioError,
  SBX_STREAM_BUSY: EXIT.internal,
  SBX_STREAM_ENDED: EXIT.internal,
  SBX_STREAM_SOURCE: EXIT.ioError,
  SBX_STREAM_CALLBACK: EXIT.ioError,
  SBX_STREAM_TEXT_TOO_LONG: EXIT.internal,
  SBX_WORKER_LOST: EXIT.tryAgain,
  SBX_CLUSTER_UNAVAILABLE: EXIT.unavailable,
  SBX_CLUSTER_DENIED: EXIT.noPermission,
  SBX_JOB_CONFLICT: EXIT.usage,
  SBX_JOB_DEADLINE: EXIT.tryAgain,
  SBX_JOB_CANCELLED: EXIT.internal,
  SBX_PROGRAM_FAILED: EXIT.internal,
  SBX_INTERNAL: EXIT.internal,
};

/** Errors between a client of the two-pipe protocol and its manager. */
const BY_FIFO_ERROR: Readonly<Record<FifoErrorCode, number>> = {
  SBX_FIFO_INVALID_OPTIONS: EXIT.usage,
  SBX_FIFO_DIRECTORY: EXIT.ioError,
  SBX_FIFO_GONE: EXIT.noInput,
  SBX_FIFO_NO_MANAGER: EXIT.unavailable,
  SBX_FIFO_DENIED: EXIT.noPermission,
  SBX_FIFO_NOT_A_PIPE: EXIT.noInput,
  SBX_FIFO_TIMEOUT: EXIT.timeLimit,
  SBX_FIFO_BAD_REPLY: EXIT.ioError,
  SBX_FIFO_TERMINATED: EXIT.internal,
  SBX_FIFO_CLOSED: EXIT.internal,
  SBX_FIFO_IO: EXIT.ioError,
};

/** For an error with one of our codes; `EXIT.internal` for a code of a newer library. */
export function exitCodeOfError(code: string): number {
  const codes: Readonly<Record<string, number>> = { ...BY_ERROR, ...BY_FIFO_ERROR };
  return codes[code] ?? EXIT.internal;
}
