/** The answer to an upgrade that is not taken. */
import type { Duplex } from 'node:stream';

/** So long a client has to read the answer and to close its side. */
const LINGER_MS = 1000;

/**
 * `status` with its words: `'401 Unauthorized'`. Node has no time-outs for a connection that it has handed
 * over for an upgrade: a client that never closes its side would keep a descriptor of the server for each
 * refusal, without ever having been let in.
 */
export function refuseUpgrade(
  socket: Duplex,
  status: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const length = Buffer.byteLength(body);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  socket.on('error', () => undefined); // it may be gone already
  socket.resume(); // what comes after the head is thrown away, so that the client's end is seen
  socket.end(
    `HTTP/1.1 ${status}\r\n${lines.join('')}Content-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
