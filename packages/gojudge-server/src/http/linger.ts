/**
 * An answer before the request has come whole. A connection that is closed over bytes nobody read is reset, and a client that
 * still sends then sees the reset and not the answer. So what comes is thrown away for a while, as Go's server does.
 */
import type { ServerResponse } from 'node:http';

/** The connection is cut after so long, whatever the client does. */
const LINGER_MS = 500;
/** Beyond this nothing is read any more, and the client has to stop. */
const LINGER_BYTES = 256 * 1024;

/** For a response whose head says its length and `Connection: close`. */
export function endLingering(response: ServerResponse, body: string): void {
  const { req: request } = response;
  if (request.readableEnded) return void response.end(body);
  const { socket } = request;
  response.write(body); // whole for the client, while Node closes the connection only after the end
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  request.once('close', () => clearTimeout(timer));
  request.once('end', () => response.end());
  let bytes = 0;
  const discard = () => {
    while (bytes < LINGER_BYTES) {
      const chunk: Buffer | null = request.read();
      if (chunk === null) return;
      bytes += chunk.length;
    }
  };
  // Not `data`: nothing flows while somebody else listens for `readable`, as a reader that gave up does. It may have had its event.
  request.on('readable', discard);
  discard();
}
