/**
 * Everything that leaves a public function as a rejection or a throw is an `SbxError` with a stable `code`
 * from `ERROR_CODES` (an abort alone rejects with the caller's own `signal.reason`). What a program did is
 * never thrown: it is a `RunResult`. Facts are fields, repeated in `details` as plain data for logs and
 * servers; the sentence is made from them once, here and in `error-text.ts`. A new code is a new row: servers
 * map codes by a `Record<ErrorCode, …>`, so their build then breaks.
 */

import { errnoName, errnoNumber, errnoText } from './errno.js';
import { type CodeOf, type FileErrorCode, fileErrorCode } from './error-codes.js';
import {
  endText,
  fileReason,
  type KnownLimits,
  type MissingProgram,
  notFoundText,
  toolchainOf,
} from './error-text.js';
import { InvalidOptionsError } from './invalid-options-error.js';
import { hasBrand, SbxError, type SbxErrorInit } from './sbx-error.js';
import type { RunResult } from './types/result.js';

export type {
  CodeOf,
  ErrorClassName,
  ErrorCode,
  ErrorCodeRow,
  FileErrorCode,
  OptionRule,
} from './error-codes.js';
export { ERROR_CODES, fileErrorCode } from './error-codes.js';
export { InvalidOptionsError, SbxError, type SbxErrorInit };

/** This machine or platform cannot do what is needed, whoever asks. */
export class UnsupportedError extends SbxError {
  declare readonly code: CodeOf<'UnsupportedError'>;
  /** The next step for a person. */
  readonly hint: string;

  constructor(init: SbxErrorInit<CodeOf<'UnsupportedError'>> & { hint: string }) {
    super({
      ...init,
      message: `${init.message} ${init.hint}`,
      details: { ...init.details, hint: init.hint },
    });
    this.hint = init.hint;
  }
}

/** Which wall refused. */
export type PermissionLayer =
  | 'userns'
  | 'apparmor'
  | 'seccomp'
  | 'sysctl'
  | 'cgroup'
  | 'capability'
  | 'filesystem';

/** The machine could, but something forbids it to this process. */
export class PermissionError extends SbxError {
  declare readonly code: CodeOf<'PermissionError'>;
  readonly layer: PermissionLayer;
  /** The exact fix, where one is known. */
  readonly hint: string;

  constructor(init: Omit<SbxErrorInit, 'code'> & { layer: PermissionLayer; hint: string }) {
    const { layer, hint } = init;
    super({
      ...init,
      code: 'SBX_PERMISSION',
      message: `${init.message} ${hint}`,
      details: { ...init.details, layer, hint },
    });
    this.layer = layer;
    this.hint = hint;
  }
}

/** All places and the queue are taken. Nothing was started. */
export class OverloadedError extends SbxError {
  declare readonly code: CodeOf<'OverloadedError'>;
  /** When to try again, in ms: an estimate. */
  readonly retryAfterMs: number;

  constructor(init: Omit<SbxErrorInit, 'code'> & { retryAfterMs: number }) {
    const { retryAfterMs } = init;
    super({ ...init, code: 'SBX_OVERLOADED', details: { ...init.details, retryAfterMs } });
    this.retryAfterMs = retryAfterMs;
  }
}

/** The engine, sandbox or process was closed before the call or during it. */
export class ClosedError extends SbxError {
  declare readonly code: CodeOf<'ClosedError'>;
  /**
   * `what` is the thing that is closed, as the subject of a sentence: `'The engine'`. `why`: a clause, where
   * it was not its owner who closed it.
   */
  constructor(
    what: string,
    { why = null, ...init }: { why?: string | null; cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super({ ...init, code: 'SBX_CLOSED', message: `${what} is closed${why === null ? '' : `: ${why}`}.` });
  }
}

/** The program's file is not inside the sandbox. */
export class ProgramNotFoundError extends SbxError {
  declare readonly code: CodeOf<'ProgramNotFoundError'>;
  /** As it was asked for. */
  readonly file: string;
  /** Paths inside the sandbox that were looked at, in order. */
  readonly tried: readonly string[];
  /** It exists on the host: then the engine's mounts leave it out. `null` when it was not looked up. */
  readonly existsOnHost: boolean | null;
  /** It is there, a script, and this interpreter in its first line is not; else `null`. */
  readonly interpreter: string | null;
  /** The host has it in this folder, which may be given as one of `toolchains`; else `null`. */
  readonly toolchain: string | null;

  constructor(init: MissingProgram) {
    const { file, tried, existsOnHost, more = {} } = init;
    const { onHost, ...details } = more; // paths of the host are for its owner, not for peers
    super({
      code: 'SBX_PROGRAM_NOT_FOUND',
      message: notFoundText(init),
      details: { file, tried: [...tried], existsOnHost, ...details },
    });
    this.file = file;
    this.tried = tried;
    this.existsOnHost = existsOnHost;
    this.interpreter = more.interpreter ?? null;
    this.toolchain = onHost === undefined || more.minimal ? null : toolchainOf(onHost);
  }
}

/** The sandbox failed at something, not the program. */
export class SandboxError extends SbxError {
  declare readonly code: CodeOf<'SandboxError'>;
  /** Step of the set-up or of the run, by its name in `native/common/stage.h`. */
  readonly stage: string;
  /** Which one of several in that step: a mount, a descriptor; 0 when there is only one. */
  readonly index: number;
  /** 0 when no system call failed. */
  readonly errno: number;
  /** `'ENOMEM'`; `''` when `errno` is 0. */
  readonly errnoName: string;

  constructor(
    init: SbxErrorInit<CodeOf<'SandboxError'>> & {
      stage: string;
      index?: number;
      errno?: number;
      /** The message says all that the stage would: a mistake of the caller. */
      isPlain?: boolean;
    },
  ) {
    const { stage, index = 0, errno = 0, isPlain = false } = init;
    const name = errno === 0 ? '' : errnoName(errno);
    const why = errno === 0 ? '' : `, ${name}: ${errnoText(errno)}`;
    super({
      ...init,
      message: isPlain ? `${init.message}.` : `${init.message} (stage ${stage}, index ${index}${why})`,
      details: { ...init.details, stage, index, errno, errnoName: name },
    });
    this.stage = stage;
    this.index = index;
    this.errno = errno;
    this.errnoName = name;
  }
}

/** An operation on a file of the sandbox, or reading a host file for it, failed. */
export class FileAccessError extends SbxError {
  declare readonly code: CodeOf<'FileAccessError'>;
  /**
   * `'readFile'`, `'mkdir'`…; of files for a program `'create'`, `'write'`, `'symlink'`, or `'read'`
   * (`details.hostPath` names the host's).
   */
  readonly operation: string;
  /** As the caller wrote it. */
  readonly path: string;
  /** 0 when a rule of ours refused and no system call. */
  readonly errno: number;
  /** `'ENOENT'`, as in errors of `node:fs`; `''` when `errno` is 0. */
  readonly errnoName: string;

  /** Without `code` it follows from `errno`. */
  constructor(init: {
    operation: string;
    path: string;
    hostPath?: string;
    errno?: number | string;
    code?: FileErrorCode;
    /** In the place of what the code means. */
    reason?: string;
    cause?: unknown;
  }) {
    const errno = typeof init.errno === 'string' ? (errnoNumber(init.errno) ?? 0) : Math.abs(init.errno ?? 0);
    const name = errno === 0 ? '' : errnoName(errno);
    const code = init.code ?? fileErrorCode(errno);
    const { operation, path, hostPath = path, reason = fileReason(code, errno) } = init;
    const source = hostPath === path ? '' : ` from ${JSON.stringify(hostPath)}`;
    super({
      ...('cause' in init ? { cause: init.cause } : {}),
      code,
      message: `${operation} ${JSON.stringify(path)}${source}: ${reason}`,
      details: { operation, path, errno, errnoName: name, ...(init.hostPath && { hostPath }) },
    });
    this.operation = operation;
    this.path = path;
    this.errno = errno;
    this.errnoName = name;
  }
}

/** From `RunResult.orThrow()` alone: the program did not end with status `ok`. */
export class ProgramError extends SbxError {
  declare readonly code: CodeOf<'ProgramError'>;
  /** The whole result; not part of `toJSON()`, since it holds what the program wrote. */
  declare readonly result: RunResult;

  /** `limits`: those that it ran under, for the message. */
  constructor(result: RunResult, limits: KnownLimits = {}) {
    const { status, exitCode, exitSignal, usage } = result;
    super({
      code: 'SBX_PROGRAM_FAILED',
      message: endText(result, limits),
      details: { status, exitCode, exitSignal, usage: { ...usage } },
    });
    // Not enumerable, so that printing the error does not print megabytes of output.
    Object.defineProperty(this, 'result', { value: result, enumerable: false });
  }
}

/** Any error of ours: a comparison of `code` narrows it to the class whose fields go with that code. */
export type AnySbxError =
  | InvalidOptionsError
  | UnsupportedError
  | PermissionError
  | OverloadedError
  | ClosedError
  | ProgramNotFoundError
  | SandboxError
  | FileAccessError
  | ProgramError
  | (SbxError & { readonly code: CodeOf<'SbxError'> });

/**
 * Whether `error` is one of ours, also when it was made by another copy of this package.
 *
 * @example
 * ```ts
 * if (isSbxError(error) && error.code === 'SBX_OVERLOADED') await setTimeout(error.retryAfterMs);
 * ```
 */
export function isSbxError(error: unknown): error is AnySbxError {
  return hasBrand(error);
}

const CLASSES = {
  InvalidOptionsError,
  UnsupportedError,
  PermissionError,
  OverloadedError,
  ClosedError,
  ProgramNotFoundError,
  SandboxError,
  FileAccessError,
  ProgramError,
};

// On the prototypes, as in `sbx-error.ts`.
for (const [name, type] of Object.entries(CLASSES)) {
  Object.defineProperty(type.prototype, 'name', { value: name, writable: true, configurable: true });
}
