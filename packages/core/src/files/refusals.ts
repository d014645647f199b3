/** Files and archives that are refused for what they are. */
import { type FileErrorCode, InvalidOptionsError } from '../errors.js';
import { EISDIR, ENOTEMPTY } from '../native/errno.js';

const ENXIO = 6;
const ENODEV = 19;
const EINVAL = 22;

/**
 * The error code for pipes, sockets and devices, which the native layer and the kernel refuse; nothing for
 * other error numbers.
 */
export function notRegular(errno: number): { code?: FileErrorCode } {
  return errno === EINVAL || errno === ENXIO || errno === ENODEV ? { code: 'SBX_FILE_NOT_REGULAR' } : {};
}

const STILL_FILLED =
  'programs of the sandbox go on making files in it, or keep it locked, for longer than a removal may take. End them, or remove it again.';
const NOT_RECURSIVE = 'it is a folder. Give { recursive: true } to remove it with all that is in it.';

/** Why something was not removed, where the system's own words do not say what to do; `errno` is negative. */
export function notRemoved(errno: number, recursive: boolean): { reason?: string } {
  if (errno === ENOTEMPTY) return { reason: STILL_FILLED };
  return errno === EISDIR && !recursive ? { reason: NOT_RECURSIVE } : {};
}

/** For an archive that may not come in. */
export function refuseWorkspace(expected: string, got?: string): InvalidOptionsError {
  return new InvalidOptionsError({
    field: 'options.workspace',
    rule: 'format',
    expected,
    ...(got && { got }),
  });
}

/** For what is no archive. */
export function refuseArchive(why: string): InvalidOptionsError {
  return refuseWorkspace(`must be a whole tar archive (${why})`);
}
