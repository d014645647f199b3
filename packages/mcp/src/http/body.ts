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

/** The bytes of one body, counted until its response has ended, and every call that came in it. */
export class BodyCount {
  readonly #receiving: Receiving;
  #bytes = 0;
  /** The response is the first. */
  #users = 1;

  constructor(receiving: Receiving) {
    this.#receiving = receiving;
  }

  /** False, and nothing counted, when there is no room. */
  take(bytes: number): boolean {
    if (!this.#receiving.take(bytes)) return false;
    this.#bytes += bytes;
    return true;
  }

  /** Returns what ends the use; to be called once. */
  use(): () => void {
    this.#users += 1;
    return () => this.leave();
  }

  leave(): void {
    this.#users -= 1;
    if (this.#users === 0) this.free();
  }

  /** Nothing of it is held any more. */
  free(): void {
    this.#receiving.release(this.#bytes);
    this.#bytes = 0;
  }
}

export interface Body {
  bytes: Uint8Array;
  count: BodyCount;
}

/**
 * What it has counts until `response` ends, and calls that use it. Rejects when the client goes away. What
 * else comes of a body that is refused is thrown away.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  bytesMax: number,
  receiving: Receiving,
): Promise<Body | BodyRefusal> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) return Promise.resolve('too-large');
  return new Promise((resolve, reject) => {
    const chunks = new ByteChunks();
    const count = new BodyCount(receiving);
    let bytes = 0;
    const refuse = (why: BodyRefusal) => {
      request.off('data', onData);
      chunks.take();
      count.free();
      resolve(why);
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) return refuse('too-large');
      if (!count.take(chunk.length)) return refuse('no-room');
      chunks.add(chunk);
    };
    request.on('data', onData);
    request.once('end', () => {
      const body = chunks.takeJoined();
      if (hasMoreValues(body, VALUES_MAX)) refuse('too-many-values');
      else resolve({ bytes: body, count });
    });
    request.once('error', reject);
    response.once('close', () => {
      count.leave();
      reject(new Error('the client went away'));
    });
  });
}
