/**
 * Waiting for somebody to open a FIFO for reading. A blocking open would take a thread of the pool, and four
 * of those stop all file work of the host, so the open does not block and is tried again: the kernel has no
 * event for this that Node could receive. Nothing is tried while nobody has asked.
 */
import { constants, openSync } from 'node:fs';
import type { Pacing } from './pacing.js';

const FLAGS = constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

export interface ReaderWait {
  /** Looked at again after every try: `performance.now()` from which on there is no more waiting. */
  deadline: () => number;
  /** When to try. */
  pacing: Pacing;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

/** A descriptor to write to, or `null` when nobody came, or the pipe is gone. */
export async function openForReader(path: string, wait: ReaderWait): Promise<number | null> {
  while (!wait.signal?.aborted) {
    const fd = tryOpen(path);
    if (fd !== 'nobody') return fd;
    const leftMs = wait.deadline() - performance.now();
    if (leftMs <= 0) return null;
    await wait.pacing.next(leftMs, wait.signal);
  }
  return null;
}

/** At once. */
function tryOpen(path: string): number | 'nobody' | null {
  try {
    return openSync(path, FLAGS);
  } catch (error) {
    // ENXIO is "no reader yet"; without descriptors to spare the client must not be left waiting either.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : 'nobody';
  }
}
