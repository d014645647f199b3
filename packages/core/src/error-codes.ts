/**
 * Every code an `SbxError` can carry: its class, whether the same call may succeed later, and what it means.
 * The codes are stable; docs/errors.md is made from these rows. Classes are in `errors.ts`.
 */

import { errnoName } from './errno.js';

/** Names of the classes in `errors.ts`. */
export type ErrorClassName =
  | 'SbxError'
  | 'InvalidOptionsError'
  | 'UnsupportedError'
  | 'PermissionError'
  | 'OverloadedError'
  | 'ClosedError'
  | 'ProgramNotFoundError'
  | 'SandboxError'
  | 'FileAccessError'
  | 'ProgramError';

/** One row of `ERROR_CODES`. */
export interface ErrorCodeRow {
  /** Name of the error class. */
  class: ErrorClassName;
  /** The same call may succeed later. */
  retryable: boolean;
  /** A sentence for the docs. */
  meaning: string;
}

function row<const C extends ErrorClassName>(type: C, retryable: boolean, meaning: string) {
  return { class: type, retryable, meaning };
}

/** The exhaustive table. */
export const ERROR_CODES = {
  // The caller was wrong; nothing was started.
  SBX_INVALID_OPTIONS: row(
    'InvalidOptionsError',
    false,
    'An option or argument was refused; `field` names it, `expected` the rule.',
  ),
  SBX_CLOSED: row('ClosedError', false, 'The engine, sandbox, process or stream is closed.'),

  // The machine is not able or not allowed.
  SBX_UNSUPPORTED_PLATFORM: row(
    'UnsupportedError',
    false,
    'The operating system, processor, C library or kernel version is not one that the engine runs on, or this process may open too few files.',
  ),
  SBX_NATIVE_UNAVAILABLE: row(
    'UnsupportedError',
    false,
    'The addon or helper for this platform is missing, does not load, or belongs to another version.',
  ),
  SBX_REQUIRED_FEATURE_MISSING: row(
    'UnsupportedError',
    false,
    'A guarantee in `EngineOptions.require` cannot be given here; `details` lists them with reasons.',
  ),
  SBX_PERMISSION: row(
    'PermissionError',
    false,
    'The machine could, but a policy forbids it to this process; `layer` names the wall.',
  ),
  SBX_OVERLOADED: row(
    'OverloadedError',
    true,
    'All places and the queue are taken, or the sandbox is full of processes; try again after `retryAfterMs`.',
  ),

  SBX_LANGUAGE_UNAVAILABLE: row(
    'SbxError',
    false,
    'The language is known, but its programs are not inside the sandbox; `missing` names them.',
  ),

  // The sandbox could not do its part.
  SBX_PROGRAM_NOT_FOUND: row('ProgramNotFoundError', false, 'The program does not exist inside the sandbox.'),
  SBX_PROGRAM_NOT_EXECUTABLE: row(
    'SandboxError',
    false,
    'The program exists, but the kernel refuses to execute it: no execute permission, unknown format, missing interpreter.',
  ),
  SBX_PROGRAM_TOO_BIG: row(
    'SandboxError',
    false,
    'Arguments and environment do not fit the stack the program is allowed (E2BIG).',
  ),
  SBX_BAD_CWD: row(
    'SandboxError',
    false,
    'The working folder does not exist inside the sandbox, or is none of its own; the message says which.',
  ),
  SBX_SANDBOX_SETUP: row(
    'SandboxError',
    false,
    'A step of making the sandbox or starting the program failed; `stage`, `index` and `errno` name it.',
  ),
  SBX_SANDBOX_LOST: row(
    'SandboxError',
    true,
    'The helper process ended or stopped answering; its programs are dead and there is no verdict.',
  ),
  SBX_HOST_MEMORY: row(
    'SandboxError',
    true,
    'Memory ran out above the sandbox, and the kernel killed a process of a program that was within its limit; there is no verdict.',
  ),

  SBX_PORT_UNREACHABLE: row(
    'SbxError',
    true,
    'Nobody took a connection to this port of the sandbox within `timeoutMs`.',
  ),
  SBX_PORT_UNAVAILABLE: row(
    'SbxError',
    false,
    '`expose` cannot listen there: the port is taken or not allowed, or the address is not one of this machine.',
  ),

  SBX_ABORTED: row(
    'SbxError',
    false,
    "In `errors` of a group with `settle: 'each'`: the caller’s signal came before this program was started; `cause` is its reason.",
  ),

  // Files of the sandbox, and host files to copy in.
  SBX_FILE_NOT_FOUND: row('FileAccessError', false, 'There is no such file or folder.'),
  SBX_FILE_EXISTS: row('FileAccessError', false, 'There is already something with this name.'),
  SBX_FILE_IS_FOLDER: row('FileAccessError', false, 'A folder is where a file was expected.'),
  SBX_FILE_NOT_FOLDER: row('FileAccessError', false, 'A part of the path is not a folder.'),
  SBX_FILE_NOT_EMPTY: row(
    'FileAccessError',
    false,
    'The folder is not empty. From a recursive `rm`: programs went on making files in it until its time was over.',
  ),
  SBX_FILE_NOT_REGULAR: row(
    'FileAccessError',
    false,
    'It is a link, pipe, socket or device; only regular files are read and written.',
  ),
  SBX_FILE_OUTSIDE: row(
    'FileAccessError',
    false,
    'The path leads out of what is the sandbox’s own (the work folder, /tmp, /dev/shm and `tmpfs` rows), or to a link.',
  ),
  SBX_FILE_DENIED: row('FileAccessError', false, 'Its permissions forbid it.'),
  SBX_FILE_TOO_LARGE: row('FileAccessError', false, 'It is larger than the call allows.'),
  SBX_FILE_NO_SPACE: row(
    'FileAccessError',
    false,
    'The work folder (or /tmp…) is full: `diskBytes` or `diskFileCount` is reached. A new file that `writeFile` knew the size of is removed; any other that did not fit is there in part until it is removed.',
  ),
  SBX_FILE_IO: row('FileAccessError', false, 'Another error of the file system; `errnoName` says which.'),

  // Streams and callbacks.
  SBX_STREAM_BUSY: row('SbxError', false, 'The stream already has a reader; there can be one.'),
  SBX_STREAM_ENDED: row(
    'SbxError',
    false,
    'Written after the end, or after the program closed its side (EPIPE).',
  ),
  SBX_STREAM_SOURCE: row(
    'SbxError',
    false,
    'The iterable given as input threw or yielded something other than bytes or text; see `cause`.',
  ),
  SBX_STREAM_CALLBACK: row('SbxError', false, '`onStdout` or `onStderr` threw or rejected; see `cause`.'),
  SBX_STREAM_TEXT_TOO_LONG: row(
    'SbxError',
    false,
    'The output is too long for one JavaScript string; use `bytes`.',
  ),

  // Jobs on other machines (@sbx/cluster).
  SBX_WORKER_LOST: row(
    'SbxError',
    true,
    '`WorkerLostError` of @sbx/cluster: the workers that had the job disappeared; there is no verdict.',
  ),
  SBX_CLUSTER_UNAVAILABLE: row(
    'SbxError',
    true,
    '`ClusterUnavailableError` of @sbx/cluster: the broker does not answer; the message says what cannot be promised now.',
  ),
  SBX_CLUSTER_DENIED: row(
    'SbxError',
    false,
    '`ClusterDeniedError` of @sbx/cluster: a permission is missing at the broker; `operation` and `subject` say which.',
  ),
  SBX_JOB_CONFLICT: row(
    'SbxError',
    false,
    '`JobConflictError` of @sbx/cluster: another job was submitted under the same id.',
  ),
  SBX_JOB_DEADLINE: row(
    'SbxError',
    true,
    '`JobDeadlineError` of @sbx/cluster: there was no result within `deadlineMs`; the job was cancelled.',
  ),
  SBX_JOB_CANCELLED: row(
    'SbxError',
    false,
    '`JobCancelledError` of @sbx/cluster: another call with the same id cancelled the job.',
  ),

  SBX_PROGRAM_FAILED: row('ProgramError', false, 'Only from `orThrow()`: the program did not end well.'),
  SBX_INTERNAL: row('SbxError', false, 'A rule of the library itself was broken: a bug to report.'),
} as const satisfies Record<string, ErrorCodeRow>;

/** A stable code. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** The codes that class `C` carries. */
export type CodeOf<C> = {
  [K in ErrorCode]: (typeof ERROR_CODES)[K]['class'] extends C ? K : never;
}[ErrorCode];

/** Codes of `FileAccessError`. */
export type FileErrorCode = CodeOf<'FileAccessError'>;

/** errno → code. What is not here is `SBX_FILE_IO`. */
const FILE_CODE_BY_ERRNO: Readonly<Record<string, FileErrorCode>> = {
  ENOENT: 'SBX_FILE_NOT_FOUND',
  EEXIST: 'SBX_FILE_EXISTS',
  EISDIR: 'SBX_FILE_IS_FOLDER',
  ENOTDIR: 'SBX_FILE_NOT_FOLDER',
  ENOTEMPTY: 'SBX_FILE_NOT_EMPTY',
  EXDEV: 'SBX_FILE_OUTSIDE', // openat2 with RESOLVE_BENEATH: the path leads out
  ELOOP: 'SBX_FILE_OUTSIDE', // openat2 with RESOLVE_NO_SYMLINKS or NO_MAGICLINKS
  EACCES: 'SBX_FILE_DENIED',
  EPERM: 'SBX_FILE_DENIED',
  EROFS: 'SBX_FILE_DENIED',
  EFBIG: 'SBX_FILE_TOO_LARGE',
  ENOSPC: 'SBX_FILE_NO_SPACE',
  EDQUOT: 'SBX_FILE_NO_SPACE',
};

/** The code for an errno (number or name) of a file operation. */
export function fileErrorCode(errno: number | string): FileErrorCode {
  return FILE_CODE_BY_ERRNO[typeof errno === 'number' ? errnoName(errno) : errno] ?? 'SBX_FILE_IO';
}

/** Which kind of rule an option broke. */
export type OptionRule =
  | 'unknown-key' // no such option
  | 'required' // missing
  | 'type' // wrong type
  | 'range' // a number outside its range, NaN and infinities included
  | 'choice' // not one of the words
  | 'format' // right type, wrong form
  | 'nul' // a NUL byte where the kernel would cut
  | 'size' // too long or too many
  | 'conflict' // contradicts another option
  | 'not-here' // legal elsewhere, not in this call
  | 'ceiling'; // above what the engine allows
