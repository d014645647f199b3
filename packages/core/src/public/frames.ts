/**
 * Errors that the engine makes in a callback of its own have no frame of the caller. V8 knows who awaits, at
 * the moment at which the rejection passes: those frames are added here, at no cost while all is well.
 */
import { isSbxError } from '../errors.js';

/**
 * The folder of this library's own frames; in a bundle, where all is one file or has no address, none is left
 * out.
 */
const OWN = import.meta.url?.endsWith('/index.js') ? new URL('.', import.meta.url).href : '\0';

/** Awaits `work`; what it rejects with shows where the caller waits. */
export async function withCallerFrames<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isSbxError(error)) addFrames(error);
    throw error;
  }
}

function addFrames(error: Error): void {
  const here: { stack?: string } = {};
  Error.captureStackTrace(here, withCallerFrames);
  const known = error.stack ?? '';
  const frames = (here.stack ?? '').split('\n').slice(1);
  const added = frames.filter((frame) => !frame.includes(OWN) && !known.includes(frame.trim()));
  if (added.length > 0) error.stack = [known, ...added].join('\n');
}
