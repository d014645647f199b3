/** The answer to an upgrade that is not taken. */
import type { Duplex } from 'node:stream';

/** `status` with its words: `'401 Unauthorized'`. */
export function refuseUpgrade(
  socket: Duplex,
  status: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 ${status}\r\n${lines.join('')}Content-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
