/** A request's body, bounded while it is read. */
import type { IncomingMessage } from 'node:http';
import type { Receiving } from '@sbx/serving';
import { RunFailure } from '../../../errors.js';

export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** There is no room for it beside the others that are being received. */
export class NoRoom extends RunFailure {
  override name = 'NoRoom';

  constructor() {
    super('too many requests are being received', RETRY_MS);
  }
}

const RETRY_MS = 1000;

/** Rejects with `BodyTooLarge` or `NoRoom`, or when the client goes away. */
export function readBody(request: IncomingMessage, maxBytes: number, receiving: Receiving): Promise<Buffer> {
  let counted = 0;
  const reading = new Promise<Buffer>((resolve, reject) => {
    const chunks: Buffer[] = [];
    const stop = (why: Error) => {
      request.off('data', onData).pause(); // what else comes is the answer's matter
      chunks.length = 0;
      reject(why);
    };
    const onData = (chunk: Buffer) => {
      if (counted + chunk.length > maxBytes) {
        return stop(new BodyTooLarge(`request body is larger than ${maxBytes} bytes`));
      }
      if (!receiving.take(chunk.length)) return stop(new NoRoom());
      counted += chunk.length;
      chunks.push(chunk);
    };
    request.on('data', onData);
    const onClose = () => reject(new Error('the client went away'));
    request.once('end', () => {
      request.off('close', onClose); // it comes after every request, and errors are dear
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    });
    request.once('error', reject);
    request.once('close', onClose);
  });
  return reading.finally(() => receiving.release(counted));
}
