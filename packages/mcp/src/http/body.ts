/** A request's body, bounded while it is read, alone and with all others. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ByteChunks, hasMoreValues, type Receiving } from '@sbx/serving';

/**
 * Why a body is not taken: it is too large, it has too many values, or there is no room for it beside the
 * others.
 */
export type BodyRefusal = 'too-large' | 'too-many-values' | 'no-room';

/** Of JSON. A message with the most arguments that one may have has a few thousand. */
export const VALUES_MAX = 50_000;

/**
 * What it has counts until `response` ends: calls hold what they were given. Rejects when the client goes
 * away. What else comes of a body that is refused is thrown away.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  receiving: Receiving,
): Promise<Uint8Array | BodyRefusal> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve('too-large');
  return new Promise((resolve, reject) => {
    const chunks = new ByteChunks();
    let bytes = 0;
    const giveBack = () => {
      receiving.release(bytes);
      bytes = 0;
    };
    const refuse = (why: BodyRefusal) => {
      request.off('data', onData);
      chunks.take();
      giveBack();
      resolve(why);
    };
    const onData = (chunk: Buffer) => {
      if (bytes + chunk.length > bytesMax) return refuse('too-large');
      if (!receiving.take(chunk.length)) return refuse('no-room');
      bytes += chunk.length;
      chunks.add(chunk);
    };
    request.on('data', onData);
    request.once('end', () => {
      const body = chunks.takeJoined();
      if (hasMoreValues(body, VALUES_MAX)) refuse('too-many-values');
      else resolve(body);
    });
    request.once('error', reject);
    response.once('close', () => {
      giveBack();
      reject(new Error('the client went away'));
    });
  });
}
