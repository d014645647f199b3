/** Files and archives that are refused for what they are. */
import { type FileErrorCode, InvalidOptionsError } from '../errors.js';

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
