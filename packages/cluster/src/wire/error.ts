/**
 * Errors of an engine on their way: the same class, code and fields at the other end, without stack and
 * cause, which name things of the host.
 */
import {
  ClosedError,
  ERROR_CODES,
  type ErrorCode,
  FileAccessError,
  InvalidOptionsError,
  isSbxError,
  OverloadedError,
  PermissionError,
  ProgramNotFoundError,
  SandboxError,
  SbxError,
  UnsupportedError,
} from '@sbx/core';
import type { WireError } from './outcome.js';

const CLASSES: Readonly<Record<string, { prototype: SbxError }>> = {
  ClosedError,
  FileAccessError,
  InvalidOptionsError,
  OverloadedError,
  PermissionError,
  ProgramNotFoundError,
  SandboxError,
  UnsupportedError,
};

/** Fields and methods of every error: no detail takes their place. */
const OWN_NAMES = new Set([
  ...['name', 'message', 'stack', 'cause', 'code', 'retryable', 'details'],
  ...['constructor', 'toString', 'toJSON', '__proto__'],
]);

/** Of one error; what is larger loses its details. */
const DETAILS_BYTES_MAX = 65_536;
const MESSAGE_CHARS_MAX = 16_384;

export function wireError(error: unknown): WireError {
  if (!isSbxError(error)) {
    return {
      code: 'SBX_INTERNAL',
      message: 'The worker failed; its log says why.',
      retryable: true,
      details: {},
    };
  }
  const { code, message, retryable, details } = error.toJSON();
  return { code, message: message.slice(0, MESSAGE_CHARS_MAX), retryable, details: small(details) };
}

/** As JSON has them. Whoever made them up may have nested them so deep that nothing can write them again. */
function small(details: object): Record<string, unknown> {
  try {
    const plain = JSON.stringify(details);
    return plain.length <= DETAILS_BYTES_MAX ? JSON.parse(plain) : {};
  } catch {
    return {};
  }
}

/** Facts of our errors are fields, repeated in `details`: so the fields come back from there. */
export function errorFrom({ code, message, retryable, details: told }: WireError): SbxError {
  const details = small(told);
  const known = Object.hasOwn(ERROR_CODES, code) ? (code as ErrorCode) : 'SBX_INTERNAL';
  const error = new SbxError({ code: known, message, retryable, details });
  const type = CLASSES[ERROR_CODES[known].class];
  if (type === undefined) return error;
  for (const [name, value] of Object.entries(details)) {
    if (!OWN_NAMES.has(name)) {
      Object.defineProperty(error, name, { value, enumerable: true });
    }
  }
  return Object.setPrototypeOf(error, type.prototype) as SbxError;
}
