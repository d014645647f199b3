/**
 * The end of requests whose body comes too slowly: they hold a connection and memory for nothing. Until
 * somebody begins to read it, it is not the client who is slow.
 */
import type { IncomingMessage } from 'node:http';

/** How slow is too slow: a body has `graceMs`, and a ms more for each `bytesPerMs` that came. */
export interface SlowBodyTimeout {
  graceMs: number;
  bytesPerMs: number;
}

/** As long as for a head; beyond that 16 KiB a second, which every network can do. */
const TIMEOUT: SlowBodyTimeout = { graceMs: 60_000, bytesPerMs: 16 };
const LOOKS = 30;

/**
 * Cuts the connection when the request is not complete in time. Most are complete with the read that brought
 * their head.
 */
export function endSlowBody(request: IncomingMessage, timeout: SlowBodyTimeout = TIMEOUT): void {
  process.nextTick(watchUnlessComplete, request, timeout);
}

function watchUnlessComplete(request: IncomingMessage, { graceMs, bytesPerMs }: SlowBodyTimeout): void {
  if (request.complete || request.destroyed) return;
  const { socket } = request;
  let startedAt = performance.now();
  const before = socket.bytesRead;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    if (request.readableFlowing === null) startedAt = performance.now();
    const allowedMs = graceMs + (socket.bytesRead - before) / bytesPerMs;
    if (performance.now() - startedAt > allowedMs) socket.destroy();
  }, graceMs / LOOKS).unref();
  request.once('close', () => clearInterval(timer));
}
