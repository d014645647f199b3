/** Pings, and the end of a connection that does not answer them: only pongs count as life, as with go-judge. */
import type { WebSocket } from 'ws';

const PING_MS = 50_000;
const SILENCE_MS = 60_000;

/** Returns what stops it. */
export function keepAlive(socket: WebSocket): () => void {
  let deadline = setTimeout(() => socket.terminate(), SILENCE_MS).unref();
  const pinger = setInterval(() => socket.ping(), PING_MS).unref();
  socket.on('pong', () => {
    clearTimeout(deadline);
    deadline = setTimeout(() => socket.terminate(), SILENCE_MS).unref();
  });
  return () => {
    clearTimeout(deadline);
    clearInterval(pinger);
  };
}
