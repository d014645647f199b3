/** Pings, and the end of a connection that gives no sign of life. */

/** The part of a WebSocket of `ws` that is needed. */
export interface Pinged {
  ping(): void;
  terminate(): void;
  on(event: 'pong', listener: () => void): unknown;
}

/** When to ping, and how much silence is death, in ms. */
export interface KeepAliveTimes {
  pingMs: number;
  silenceMs: number;
}

/** Pongs are life; what else is says `alive()`. */
export function keepAlive(
  socket: Pinged,
  { pingMs, silenceMs }: KeepAliveTimes,
): { alive(): void; stop(): void } {
  const deadline = setTimeout(() => socket.terminate(), silenceMs).unref();
  const pinger = setInterval(() => socket.ping(), pingMs).unref();
  const alive = () => void deadline.refresh();
  socket.on('pong', alive);
  return {
    alive,
    stop() {
      clearTimeout(deadline);
      clearInterval(pinger);
    },
  };
}
