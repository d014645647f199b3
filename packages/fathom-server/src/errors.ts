/** Messages of type `error`. */
import { isSbxError, type SbxError } from '@sbx/core';
import {
  type ErrorMessage,
  type Unstamped,
  WIRE_ERROR_CODES,
  type WireErrorCode,
} from '@sbx/fathom-client/wire';

/** `retryable` is the table's, unless more is known of this one. */
export function errorMessage(
  code: WireErrorCode,
  message: string,
  { id, retryable = WIRE_ERROR_CODES[code].retryable }: { id?: string | undefined; retryable?: boolean } = {},
): Unstamped<ErrorMessage> {
  return { type: 'error', ...(id === undefined ? {} : { id }), code, message, retryable };
}

/** What a client is told of an error of the engine. */
export interface Failure {
  code: WireErrorCode;
  message: string;
  retryable: boolean;
}

type Kind = 'request' | 'language' | 'overloaded' | 'lasting' | 'passing';

/** Engine error code → its kind. What is not here is passing. */
const KIND_OF: Readonly<Partial<Record<SbxError['code'], Kind>>> = {
  SBX_INVALID_OPTIONS: 'request',
  SBX_PROGRAM_TOO_BIG: 'request',
  SBX_LANGUAGE_UNAVAILABLE: 'language',
  SBX_PROGRAM_NOT_FOUND: 'language',
  SBX_PROGRAM_NOT_EXECUTABLE: 'language',
  SBX_OVERLOADED: 'overloaded',
  SBX_UNSUPPORTED_PLATFORM: 'lasting',
  SBX_NATIVE_UNAVAILABLE: 'lasting',
  SBX_REQUIRED_FEATURE_MISSING: 'lasting',
  SBX_PERMISSION: 'lasting',
  SBX_BAD_CWD: 'lasting',
  SBX_INTERNAL: 'lasting',
};

/**
 * Errors of the kernel that tell of a shortage, which ends; with others a step of the set-up fails each time.
 */
const SHORTAGES = new Set(['EAGAIN', 'EBUSY', 'EINTR', 'EMFILE', 'ENFILE', 'ENOMEM', 'ENOSPC', 'ETIMEDOUT']);

/**
 * The same request again would meet the same error, except where the kind is `passing`. Nothing of the
 * request is repeated.
 */
const FAILURES: Readonly<Record<Kind, Failure>> = {
  request: {
    code: 'INVALID_REQUEST',
    message: 'env, limits: the sandbox cannot start a program with these',
    retryable: false,
  },
  language: {
    code: 'LANGUAGE_NOT_SUPPORTED',
    message: 'language: its interpreter cannot be started in this sandbox',
    retryable: false,
  },
  overloaded: {
    code: 'SANDBOX_OVERLOADED',
    message: 'All sandboxes are taken; try again later.',
    retryable: true,
  },
  lasting: {
    code: 'INTERNAL_ERROR',
    message: 'The sandbox cannot be made on this machine; trying again does not help.',
    retryable: false,
  },
  passing: {
    code: 'INTERNAL_ERROR',
    message: 'The sandbox failed; nothing is wrong with the request.',
    retryable: true,
  },
};

/** The failure that a client is told for an error of `start`. */
export function failureOf(error: unknown): Failure {
  return FAILURES[kindOf(error)];
}

function kindOf(error: unknown): Kind {
  if (!isSbxError(error)) return 'passing';
  if (error.code !== 'SBX_SANDBOX_SETUP') return KIND_OF[error.code] ?? 'passing';
  const { errnoName } = error as { errnoName?: string | null };
  return errnoName && !SHORTAGES.has(errnoName) ? 'lasting' : 'passing';
}
