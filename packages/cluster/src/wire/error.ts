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

interface ErrorClass {
  prototype: SbxError;
  /** Its fields, as they are where a worker tells nothing of one, or something of another kind. */
  facts: Readonly<Record<string, unknown>>;
}

const CLASSES: Readonly<Record<string, ErrorClass>> = {
  ClosedError: { prototype: ClosedError.prototype, facts: {} },
  FileAccessError: {
    prototype: FileAccessError.prototype,
    facts: { operation: '', path: '', errno: 0, errnoName: '' },
  },
  InvalidOptionsError: {
    prototype: InvalidOptionsError.prototype,
    facts: { field: 'options', rule: 'format', expected: '', got: null, hint: null },
  },
  OverloadedError: { prototype: OverloadedError.prototype, facts: { retryAfterMs: 1000 } },
  PermissionError: { prototype: PermissionError.prototype, facts: { layer: 'filesystem', hint: '' } },
  ProgramNotFoundError: {
    prototype: ProgramNotFoundError.prototype,
    facts: { file: '', tried: [], existsOnHost: null, interpreter: null, toolchain: null },
  },
  SandboxError: {
    prototype: SandboxError.prototype,
    facts: { stage: '', index: 0, errno: 0, errnoName: '' },
  },
  UnsupportedError: { prototype: UnsupportedError.prototype, facts: { hint: '' } },
};

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
  for (const [name, value] of Object.entries(factsOf(type, details))) {
    Object.defineProperty(error, name, { value, enumerable: true });
  }
  return Object.setPrototypeOf(error, type.prototype) as SbxError;
}

function factsOf({ prototype, facts }: ErrorClass, details: Record<string, unknown>): object {
  const told = new Map(Object.entries(details));
  const found = Object.fromEntries(
    Object.entries(facts).map(([name, usual]) => [
      name,
      isLike(told.get(name), usual) ? told.get(name) : usual,
    ]),
  );
  if (prototype !== InvalidOptionsError.prototype) return found;
  // No details: it reads them off the field.
  const { option, programIndex } = new InvalidOptionsError(found as unknown as InvalidOptionsError);
  return { ...found, option, programIndex };
}

/** Who has nothing to say of it may have `null`, or a word or figure. */
function isLike(value: unknown, usual: unknown): boolean {
  if (usual === null) return value !== undefined && typeof value !== 'object';
  return typeof value === typeof usual && Array.isArray(value) === Array.isArray(usual) && value !== null;
}
