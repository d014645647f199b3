/** A client that goes away, or closes its sending side, takes its run along. */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface Presence {
  signal: AbortSignal;
  /** The answer is out: the connection is on its own again. */
  over(): void;
}

export function watchPresence(request: IncomingMessage, response: ServerResponse): Presence {
  const controller = new AbortController();
  const { socket } = request;
  const leave = () => controller.abort();
  socket.once('end', leave);
  response.once('close', leave);
  if (socket.readableEnded || socket.destroyed) leave();
  return {
    signal: controller.signal,
    over: () => {
      socket.off('end', leave);
      response.off('close', leave);
    },
  };
}
