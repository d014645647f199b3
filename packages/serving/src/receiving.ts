/**
 * What is being received, over all connections: bodies and messages that have not come whole. Each has a
 * bound of its own, and many that stay half-sent would still be more than the server has.
 */
import type { Socket } from 'node:net';

/** Bytes of requests under way. */
export class Receiving {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** False, and nothing counted, when there is no room. */
  take(bytes: number): boolean {
    if (this.#bytes + bytes > this.#maxBytes) return false;
    this.#bytes += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** The part of a WebSocket of `ws` that is needed. */
export interface Received {
  readonly isPaused: boolean;
  terminate(): void;
  on(event: 'message', listener: () => void): unknown;
  on(event: 'ping' | 'pong', listener: (payload: Buffer) => void): unknown;
  once(event: 'close' | 'error', listener: () => void): unknown;
}

/** Of one connection: a read brings 8000 messages of two bytes, and `ws` hands over all of them at once. */
const MESSAGES_PER_TURN = 64;

/** What reads for a `ws` connection: whether the next message may come in the same turn of the loop. */
interface Insides {
  _receiver?: { _allowSynchronousEvents: boolean };
}

/** Many messages that come together come in several turns of the loop, others being served in between. */
export function spreadMessages(socket: Received): void {
  let count = 0;
  const allow = (isAllowed: boolean) => {
    const { _receiver: receiver } = socket as Insides;
    if (receiver !== undefined) receiver._allowSynchronousEvents = isAllowed;
  };
  const renew = () => {
    count = 0;
    allow(true);
  };
  const onMessage = () => {
    count += 1;
    if (count === 1) setImmediate(renew);
    if (count === MESSAGES_PER_TURN) allow(false);
  };
  socket.on('message', onMessage);
  socket.on('ping', onMessage);
  socket.on('pong', onMessage);
}

/** As for the body of a request: a minute, and a second more for each 16 KiB that came. */
const TIMEOUT = { graceMs: 60_000, bytesPerMs: 16 };
const LOOK_MS = 2000;
/** A control frame of a client, less its payload: two bytes and the mask. */
const CONTROL_HEAD_BYTES = 6;

/**
 * Ends connections whose messages do not come, or for which there is no room. To be called once for each; it
 * ends with its socket.
 */
export function watchHalfSent(
  socket: Received,
  connection: Socket,
  receiving: Receiving,
  { graceMs, bytesPerMs } = TIMEOUT,
): void {
  let counted = 0;
  let since = performance.now();
  const release = (bytes: number) => {
    receiving.release(bytes);
    counted -= bytes;
    if (counted === 0) since = performance.now();
  };
  const settle = () => release(counted);
  // They may come between the parts of a message, of which they bring nothing to its end.
  const settleControl = ({ length }: Buffer) => release(Math.min(counted, CONTROL_HEAD_BYTES + length));
  const onData = (chunk: Buffer) => {
    if (counted === 0) since = performance.now();
    if (receiving.take(chunk.length)) counted += chunk.length;
    else socket.terminate();
  };
  // Whose program does not read is not read either: that is nobody's slowness.
  const look = () => {
    if (socket.isPaused) since = performance.now();
    else if (counted > 0 && performance.now() - since > graceMs + counted / bytesPerMs) socket.terminate();
  };
  const timer = setInterval(look, Math.min(LOOK_MS, graceMs)).unref();
  connection.prependListener('data', onData);
  socket.on('message', settle);
  socket.on('ping', settleControl);
  socket.on('pong', settleControl);
  const stop = () => {
    clearInterval(timer);
    connection.off('data', onData);
    settle();
  };
  socket.once('close', stop);
  socket.once('error', stop); // what comes from now on is thrown away
}
