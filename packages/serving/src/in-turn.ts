/**
 * Requests that a client sends without waiting for answers. Node parses all that come with one read, and
 * hands over each at once: 64 KiB of them are thousands of answers, made before anybody else is served, and
 * held until the client reads them.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Of all connections. A request that waits is some KiB of Node's objects. */
const WAITING_MAX = 16_384;

/**
 * One request of a connection at a time, as in Go's server: the next begins when the answer before it has
 * left, and others are served in between. A connection whose requests find no room to wait is cut.
 */
export function inTurn(handler: Handler, waitingMax = WAITING_MAX): Handler {
  const lines = new WeakMap<Socket, (() => void)[]>();
  let waitingCount = 0;

  function begin(line: (() => void)[], request: IncomingMessage, response: ServerResponse): void {
    response.once('close', () => {
      if (line.length > 0) setImmediate(goOn, line, request.socket);
      else lines.delete(request.socket);
    });
    handler(request, response);
  }

  function goOn(line: (() => void)[], socket: Socket): void {
    if (socket.destroyed) waitingCount -= line.splice(0).length;
    const next = line.shift();
    if (next === undefined) return void lines.delete(socket);
    waitingCount -= 1;
    next();
  }

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket);
    if (line !== undefined) {
      if (socket.destroyed) return;
      if (waitingCount >= waitingMax) return void socket.destroy();
      waitingCount += 1;
      return void line.push(() => begin(line, request, response));
    }
    const own: (() => void)[] = [];
    lines.set(socket, own);
    begin(own, request, response);
  };
}
