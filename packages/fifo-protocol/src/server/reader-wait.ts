/**
 * Waiting for somebody to open a FIFO for reading. A blocking open would take a thread of the pool, and four of those stop
 * all file work of the host, so the open does not block and is tried again: the kernel has no event for this that Node
 * could hear. A client needs microseconds from its request to the open; the pauses grow, so that one who never comes
 * costs nothing worth mentioning. Nothing is tried while nobody has asked.
 */
import { constants, openSync } from 'node:fs';

const FLAGS = constants.O_WRONLY | constants.O_NONBLOCK;
/** Tries between which the loop only turns: some 20 µs apart. */
const FAST_TRIES = 20;
const PAUSE_MS_MIN = 1;

export interface ReaderWait {
  /** Looked at again after every try: `performance.now()` from which on there is no more waiting. */
  deadline: () => number;
  /** Between two tries at the most, in ms. */
  pauseMsMax: number;
  /** Ends the waiting. */
  signal?: AbortSignal;
}

/** A descriptor to write to, or `null` when nobody came, or the pipe is gone. */
export async function openForReader(path: string, wait: ReaderWait): Promise<number | null> {
  let pauseMs = PAUSE_MS_MIN;
  for (let tries = 0; !wait.signal?.aborted; tries += 1) {
    const fd = tryOpen(path);
    if (fd !== 'nobody') return fd;
    const leftMs = wait.deadline() - performance.now();
    if (leftMs <= 0) return null;
    if (tries < FAST_TRIES) await turn();
    else {
      await pause(Math.min(pauseMs, leftMs), wait.signal);
      pauseMs = Math.min(pauseMs * 1.5, wait.pauseMsMax);
    }
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

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}
