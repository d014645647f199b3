/** Error numbers: those of the system, in the words of Go's syscall package. */
import { constants } from 'node:os';
import { FileAccessError, InvalidOptionsError } from '@sbx/core';

const { errno: numbers } = constants;

export const { E2BIG, EEXIST, EINVAL, EISDIR, ENAMETOOLONG, ENOENT, ENOSPC, ENOTDIR, EROFS } = numbers;
/** What the engine says of a place that is in none of the sandbox's own file systems. */
export const { EXDEV } = numbers;

const ERRNO_TEXT: Readonly<Record<number, string>> = {
  [numbers.EPERM]: 'operation not permitted',
  [ENOENT]: 'no such file or directory',
  [numbers.EIO]: 'input/output error',
  [numbers.ENXIO]: 'no such device or address',
  [E2BIG]: 'argument list too long',
  [numbers.ENOEXEC]: 'exec format error',
  [numbers.EAGAIN]: 'resource temporarily unavailable',
  [numbers.ENOMEM]: 'cannot allocate memory',
  [numbers.EACCES]: 'permission denied',
  [EEXIST]: 'file exists',
  [EXDEV]: 'invalid cross-device link',
  [ENOTDIR]: 'not a directory',
  [EISDIR]: 'is a directory',
  [EINVAL]: 'invalid argument',
  [numbers.EMFILE]: 'too many open files',
  [numbers.ETXTBSY]: 'text file busy',
  [numbers.EFBIG]: 'file too large',
  [ENOSPC]: 'no space left on device',
  [EROFS]: 'read-only file system',
  [ENAMETOOLONG]: 'file name too long',
  [numbers.ELOOP]: 'too many levels of symbolic links',
};

export function errnoText(errno: number): string {
  return ERRNO_TEXT[Math.abs(errno)] ?? `errno ${Math.abs(errno)}`;
}

/**
 * Number of a system error of Node or of the engine; ENOENT where a path was refused by its form, 0 for no
 * such error.
 */
export function errnoOf(error: unknown): number {
  if (error instanceof InvalidOptionsError) return ENOENT;
  if (error instanceof FileAccessError) return Math.abs(error.errno);
  const { errno } = error as { errno?: unknown };
  return typeof errno === 'number' ? Math.abs(errno) : 0;
}
