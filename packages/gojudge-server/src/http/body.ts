/** A request's body, bounded while it is read. */
import type { IncomingMessage } from 'node:http';

export class BodyTooLarge extends Error {
  override name = 'BodyTooLarge';
}

/** Rejects with `BodyTooLarge`, or when the client goes away. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const onData = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBytes) {
        request.off('data', onData).pause(); // what else comes is the answer's matter
        chunks.length = 0;
        return reject(new BodyTooLarge(`request body is larger than ${maxBytes} bytes`));
      }
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
}
