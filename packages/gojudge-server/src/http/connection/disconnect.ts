/** A client that goes away, or closes its sending side, takes its runs along. */
import type { Socket } from 'node:net';

const signals = new WeakMap<Socket, AbortSignal>();

/** Aborted when the client of this connection has gone; one signal for all its requests. */
export function disconnectSignalOf(socket: Socket): AbortSignal {
  const known = signals.get(socket);
  if (known !== undefined) return known;
  const controller = new AbortController();
  const leave = () => controller.abort();
  socket.once('end', leave);
  socket.once('close', leave);
  if (socket.readableEnded || socket.destroyed) leave();
  signals.set(socket, controller.signal);
  return controller.signal;
}
