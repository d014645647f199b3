/** Streams of a sandbox's files, which their readers may leave where they are. */
import type { Readable } from 'node:stream';
import { onAbort } from '@sbx/shared';

/**
 * Ends with its sandbox, so that no file stays open, which would keep all of the sandbox's files. `closing`
 * says when, and must not be aborted yet.
 */
export function untilClosed(stream: Readable, closing: AbortSignal): Readable {
  const end = () => {
    stream.once('error', nothing); // who has left it does not listen
    stream.destroy(closing.reason as Error);
  };
  return stream.once('close', onAbort(closing, end));
}

function nothing(): void {}
