import { once } from 'node:events';
import { outputFailure } from './output-failure.js';

type Write = (chunk: Uint8Array) => Promise<void>;

/**
 * Writes chunks to a stream of ours, waiting while it is full. Rejects when it takes no more, and when
 * `signal` aborts meanwhile.
 */
export function writeTo(stream: NodeJS.WriteStream, signal?: AbortSignal): Write {
  return async (chunk) => {
    if (stream.errored) throw outputFailure(stream, stream.errored);
    if (stream.destroyed || stream.write(chunk)) return;
    await once(stream, 'drain', { signal }).catch((error) => {
      throw signal?.aborted ? signal.reason : outputFailure(stream, error);
    });
  };
}

/**
 * As `writeTo`, but only the first `maxBytes`: what comes at once with the byte that was too many is not
 * shown.
 */
export function writeSome(stream: NodeJS.WriteStream, maxBytes: number, signal: AbortSignal): Write {
  const write = writeTo(stream, signal);
  let left = maxBytes;
  return async (chunk) => {
    const shown = chunk.subarray(0, left);
    left -= shown.length;
    if (shown.length > 0) await write(shown);
  };
}
