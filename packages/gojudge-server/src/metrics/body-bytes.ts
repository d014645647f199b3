/** The size of an answer, as it is written: what is streamed has no header that tells it. */
import type { ServerResponse } from 'node:http';

/** Counts from now on; returns what tells the bytes of the body so far. */
export function countBody(response: ServerResponse): () => number {
  let bytes = 0;
  for (const name of ['write', 'end'] as const) {
    const send = response[name] as (...args: unknown[]) => never;
    response[name] = (...args: unknown[]): never => {
      bytes += sizeOf(args[0], args[1]);
      return send.apply(response, args);
    };
  }
  return () => bytes;
}

/** Of the first two arguments of `write` and `end`; either may be a callback, or missing. */
function sizeOf(chunk: unknown, encoding: unknown): number {
  if (chunk instanceof Uint8Array) return chunk.byteLength;
  if (typeof chunk !== 'string') return 0;
  return Buffer.byteLength(chunk, typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8');
}
