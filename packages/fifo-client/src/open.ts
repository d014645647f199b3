/** Opens that cannot hang, and what is wrong when they fail. */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { FifoError, type FifoErrorCode } from '@sbx/fifo-protocol';

const FLAGS = {
  read: constants.O_RDONLY | constants.O_NONBLOCK,
  write: constants.O_WRONLY | constants.O_NONBLOCK,
};

const CODES: Readonly<Record<string, { code: FifoErrorCode; why: string }>> = {
  ENOENT: {
    code: 'SBX_FIFO_GONE',
    why: 'is not there: the process was ended and cleaned up, or the directory is another',
  },
  ENOTDIR: { code: 'SBX_FIFO_GONE', why: 'is not there: a part of its path is no directory' },
  ENXIO: { code: 'SBX_FIFO_NO_MANAGER', why: 'has no reader: the manager of this process has died' },
  EPIPE: { code: 'SBX_FIFO_NO_MANAGER', why: 'has lost its reader: the manager of this process has died' },
  EACCES: { code: 'SBX_FIFO_DENIED', why: 'belongs to another user' },
  EPERM: { code: 'SBX_FIFO_DENIED', why: 'belongs to another user' },
};

/** A descriptor, at once. For writing there must be a reader. */
export function openPipe(path: string, how: 'read' | 'write'): number {
  let fd: number;
  try {
    fd = openSync(path, FLAGS[how]);
  } catch (cause) {
    throw pipeError(path, cause);
  }
  if (fstatSync(fd).isFIFO()) return fd;
  closeSync(fd);
  const message = `${path} is not a named pipe.`;
  throw new FifoError({ code: 'SBX_FIFO_NOT_A_PIPE', message, details: { path } });
}

/** Whether somebody still answers; `null` when so, else what is wrong. */
export function managerProblem(waitPath: string): FifoError | null {
  try {
    closeSync(openPipe(waitPath, 'write'));
    return null;
  } catch (error) {
    return error as FifoError;
  }
}

export function pipeError(path: string, cause: unknown): FifoError {
  const errno = (cause as NodeJS.ErrnoException).code ?? '';
  const { code, why } = CODES[errno] ?? { code: 'SBX_FIFO_IO', why: `cannot be used (${errno || cause})` };
  return new FifoError({ code, message: `${path} ${why}.`, details: { path, errno }, cause });
}
