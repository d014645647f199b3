/**
 * One request and its reply. `status` is opened before the request is written: so the manager finds its
 * reader at once, and we wait in the event loop instead of in an open. Every wait ends: with the reply, the
 * deadline, an abort, or when the manager is found dead.
 */
import { closeSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { encodeRequest, FifoError, type FifoReading, parseStatus, ReplyReader } from '@sbx/fifo-protocol';
import { managerProblem, openPipe, pipeError } from './open.js';

/** A dead manager is noticed within this time. */
const ALIVE_EVERY_MS = 100;
/** After an empty reply: another client was faster, and gets out of the way. */
const RETRY_MS = 2;

export interface Exchange {
  waitPath: string;
  statusPath: string;
  terminate: boolean;
  /** `null` for none. */
  timeoutMs: number | null;
  signal?: AbortSignal;
}

export async function exchange(request: Exchange): Promise<FifoReading> {
  const { terminate, timeoutMs, signal } = request;
  signal?.throwIfAborted();
  const endMs = timeoutMs === null ? Number.POSITIVE_INFINITY : performance.now() + timeoutMs;
  let asked = false;
  for (;;) {
    const reply = await exchangeOnce(asked ? null : request, request, endMs);
    if (!reply.isEmpty) {
      const reading = reply.finish();
      if (!terminate || !isAlive(reading)) return reading;
      asked = true; // that was a reply to somebody else's request: ours is still to come
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    signal?.throwIfAborted();
    if (performance.now() >= endMs) throw timedOut(request);
  }
}

function isAlive({ status }: FifoReading): boolean {
  const { state } = parseStatus(status);
  return state?.kind === 'running' || state?.kind === 'starting';
}

/** Asks, unless `question` is `null`, and collects a reply. */
async function exchangeOnce(
  question: Exchange | null,
  request: Exchange,
  endMs: number,
): Promise<ReplyReader> {
  const fd = openPipe(request.statusPath, 'read');
  const socket = new Socket({ fd, readable: true, writable: false });
  try {
    const reply = collect(socket);
    reply.catch(() => undefined); // told below, where it is waited for
    if (question !== null && !ask(question)) return new ReplyReader(); // later there is room
    return await Promise.race([reply, trouble(request, endMs, socket)]);
  } finally {
    socket.destroy();
  }
}

/** False when the pipe is full of requests that the manager has not taken yet. */
function ask({ waitPath, terminate }: Exchange): boolean {
  const fd = openPipe(waitPath, 'write');
  try {
    writeSync(fd, encodeRequest(terminate ? 'last-call' : 'go-on'));
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EAGAIN') return false;
    throw pipeError(waitPath, cause);
  } finally {
    closeSync(fd);
  }
}

function collect(socket: Socket): Promise<ReplyReader> {
  const reply = new ReplyReader();
  return new Promise((resolve, reject) => {
    socket.on('data', (piece) => {
      try {
        reply.push(piece);
      } catch (error) {
        reject(error);
      }
    });
    socket.on('end', () => resolve(reply));
    socket.on('error', reject);
  });
}

/**
 * Rejects when there is no more point in waiting; settles when the socket closes, so that nothing is left
 * behind.
 */
function trouble(request: Exchange, endMs: number, socket: Socket): Promise<never> {
  const { waitPath, signal } = request;
  return new Promise((_, reject) => {
    // A loop that was blocked finds its timers first and the reply that has long been there after: look again
    // then.
    const rejectUnlessThere = (error: unknown) => setImmediate(() => setImmediate(() => reject(error)));
    const onAbort = () => reject(signal!.reason);
    const alive = setInterval(() => {
      const problem = managerProblem(waitPath);
      if (problem !== null) rejectUnlessThere(problem);
    }, ALIVE_EVERY_MS);
    const leftMs = endMs - performance.now();
    const deadline =
      leftMs < 2 ** 31 ? setTimeout(() => rejectUnlessThere(timedOut(request)), leftMs) : undefined;
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.once('close', () => {
      clearInterval(alive);
      clearTimeout(deadline);
      signal?.removeEventListener('abort', onAbort);
    });
  });
}

function timedOut({ waitPath, timeoutMs }: Exchange): FifoError {
  const message = `No reply to a request on ${waitPath} within ${timeoutMs} ms.`;
  return new FifoError({ code: 'SBX_FIFO_TIMEOUT', message, details: { path: waitPath, timeoutMs } });
}
