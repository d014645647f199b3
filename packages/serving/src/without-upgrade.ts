/**
 * Offers of an upgrade that a server does not take, for a Node before 22.21, which hands over every one of
 * them.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** The server reads the request again without its offer, and answers it as any other. */
export function answerWithoutUpgrade(
  server: Server,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  socket.unshift(Buffer.concat([withoutUpgrade(request), head]));
  server.emit('connection', socket);
}

/** The head of the request, less the fields that ask for an upgrade. */
function withoutUpgrade({ method, url, rawHeaders, httpVersion }: IncomingMessage): Buffer {
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase();
    if (name === 'upgrade' || name === 'connection' || name === 'http2-settings') continue;
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  }
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
}
