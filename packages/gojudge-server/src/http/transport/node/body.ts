/** A request's body, bounded while it is read and until it is answered. */
import type { IncomingMessage } from 'node:http';
import {
  ByteChunks,
  type Receiving,
  type RequestPlace,
  type RequestRoom,
  SMALL_REQUEST_BYTES,
} from '@sbx/serving';
import { RunFailure } from '../../../errors.js';

export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';

  constructor(maxBytes: number) {
    super(`request body is larger than ${maxBytes} bytes`);
  }
}

/** There is no room for it beside the others. */
export class NoRoom extends RunFailure {
  override name = 'NoRoom';

  constructor() {
    super('too many requests are being received', RETRY_MS);
  }
}

const RETRY_MS = 1000;
const GONE = 'the client went away';

/** What all requests share. */
export interface BodyBounds {
  receiving: Receiving;
  room: RequestRoom;
}

export interface WholeBody {
  bytes: Buffer;
  /** To be given back once it is answered. */
  place: RequestPlace;
}

/**
 * A large one that says its size is not read before there is room for all of it, and its client waits. One
 * that does not say it is counted as it comes. Rejects with `BodyTooLarge` or `NoRoom`, or when the client
 * goes away.
 */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  { receiving, room }: BodyBounds,
): Promise<WholeBody> {
  const announcedBytes = Number(request.headers['content-length'] ?? 0);
  // One that is too large is refused on the way: who sends a little too much can be heard to the end.
  if (announcedBytes <= SMALL_REQUEST_BYTES || announcedBytes > maxBytes) {
    const bytes = await collect(request, maxBytes, receiving);
    return { bytes, place: room.hold(bytes.length) };
  }
  const place = await room.reserve(announcedBytes, () => request.socket.destroy());
  if (place === null) throw new NoRoom();
  try {
    const bytes = await collect(request, maxBytes, null);
    place.whole();
    return { bytes, place };
  } catch (error) {
    place.free();
    throw error;
  }
}

/** `receiving`: where it counts meanwhile. */
function collect(request: IncomingMessage, maxBytes: number, receiving: Receiving | null): Promise<Buffer> {
  if (request.destroyed) return Promise.reject(new Error(GONE));
  const chunks = new ByteChunks();
  let counted = 0;
  const reading = new Promise<Buffer>((resolve, reject) => {
    const stop = (why: Error) => {
      request.off('data', onData).pause(); // what else comes is the answer's matter
      chunks.take();
      reject(why);
    };
    const onData = (chunk: Buffer) => {
      if (counted + chunk.length > maxBytes) return stop(new BodyTooLarge(maxBytes));
      if (receiving?.take(chunk.length) === false) return stop(new NoRoom());
      counted += chunk.length;
      chunks.add(chunk);
    };
    request.on('data', onData);
    const onClose = () => reject(new Error(GONE));
    request.once('end', () => {
      // The request may live for long: it keeps nothing that leads to the body.
      request.off('data', onData).off('error', reject).off('close', onClose);
      resolve(chunks.takeJoined());
    });
    request.once('error', reject);
    request.once('close', onClose);
  });
  return reading.finally(() => receiving?.release(counted));
}
