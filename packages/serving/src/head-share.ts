/**
 * What the head of a request may have. One that has not come whole is held by Node, and counts nowhere;
 * nobody has been asked for a token by then. So connections share what they may all hold: the more there
 * are, the less the next one may send.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

export interface HeadBounds {
  /** Of one head while there are few connections. Go's server takes 1 MiB. Default: 256 KiB. */
  bytesMax: number;
  /** Of one head, however many there are; Node's own bound. Default: 16 KiB. */
  bytesMin: number;
  /** Of all heads while each has its share. Default: 64 MiB. */
  totalBytes: number;
}

const HEAD_BOUNDS: HeadBounds = {
  bytesMax: 256 * 1024,
  bytesMin: 16 * 1024,
  totalBytes: 64 * 1024 * 1024,
};

/** A server whose `maxHeaderSize` goes for the connections that come from then on. */
type Adjustable = Server & { maxHeaderSize: number };

/** Those that are there keep their share, so that 4,096 of them together may have 240 MiB by default. */
export function shareHeads(server: Server, bounds: HeadBounds = HEAD_BOUNDS): void {
  const { bytesMax, bytesMin, totalBytes } = bounds;
  let connections = 0;
  /** A connection comes again with each offer of an upgrade that is answered without one. */
  const counted = new WeakSet<Socket>();
  const count = (change: number) => {
    connections += change;
    const share = Math.floor(totalBytes / Math.max(1, connections));
    (server as Adjustable).maxHeaderSize = Math.min(bytesMax, Math.max(bytesMin, share));
  };
  count(0);
  // Before Node's own listener, which makes the parser of the connection.
  server.prependListener('connection', (socket) => {
    if (counted.has(socket)) return;
    counted.add(socket);
    count(1);
    socket.once('close', () => count(-1));
  });
}
