/**
 * An answer before the request has come whole. A connection that is closed over bytes nobody read is reset,
 * and a client that still sends then sees the reset and not the answer. So what comes is thrown away for a
 * while, as Go's server does.
 */
import type { ServerResponse } from 'node:http';

/** How long and how much: then the connection is cut, whatever the client does. */
export interface Linger {
  ms: number;
  /** Beyond this nothing is read any more, and the client has to stop. */
  bytes: number;
}

/** As Go's server has it. */
export const BRIEF: Linger = { ms: 500, bytes: 256 * 1024 };
/** For what is no upload: most clients look for an answer only when they have sent all of it. */
export const PATIENT: Linger = { ms: 10_000, bytes: 64 * 2 ** 20 };

/** For a response whose head says its length and `Connection: close`. */
export function endLingering(response: ServerResponse, body: string, { ms, bytes: bytesMax }: Linger): void {
  const { req: request } = response;
  if (request.readableEnded) return void response.end(body);
  const { socket } = request;
  if (body === '') response.flushHeaders();
  else response.write(body); // whole for the client, while Node closes the connection only after the end
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
  let bytes = 0;
  const discard = () => {
    while (bytes < bytesMax) {
      const chunk: Buffer | null = request.read();
      if (chunk === null) return;
      bytes += chunk.length;
    }
  };
  // Not `data`: nothing flows while somebody else listens for `readable`, as a reader that gave up does. It
  // may have had its event.
  request.on('readable', discard);
  discard();
}
