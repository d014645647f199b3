// Clients that do what no library would: bytes on a socket, WebSockets that do not read, requests that are
// cut.
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { paced } from './pace.mjs';

const portOf = (url) => Number(new URL(url).port);

/** A connection to the server: `write`, `received()` so far, `closed` (a promise), `reset()`. */
export function rawConnection(url) {
  const socket = connect(portOf(url), '127.0.0.1');
  const chunks = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.on('close', resolve));
  return {
    socket,
    closed,
    // Or it cannot be.
    opened: new Promise((resolve) => socket.once('connect', resolve).once('close', resolve)),
    write: (data) => socket.write(data),
    received: () => Buffer.concat(chunks).toString('latin1'),
    reset: () => socket.resetAndDestroy(),
  };
}

/** Sends bytes and returns what came within the time, and whether the server closed the connection. */
export async function exchange(url, data, withinMs = 2000) {
  const connection = rawConnection(url);
  await connection.opened;
  connection.write(data);
  const isClosed = await Promise.race([
    connection.closed.then(() => true),
    sleep(withinMs, false, { ref: false }),
  ]);
  const answer = connection.received();
  connection.reset();
  return { isClosed, answer, status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0) };
}

/**
 * A WebSocket with its messages as they come: `next(ms)` waits for one, `null` when the time is over or it is
 * closed.
 */
export async function openSocket(url, path, options = {}) {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}`, {
    perMessageDeflate: false,
    ...options,
  });
  const messages = [];
  const waiting = [];
  socket.on('message', (data, isBinary) => {
    const message = isBinary ? data : data.toString();
    if (waiting.length > 0) waiting.shift()(message);
    else messages.push(message);
  });
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.on('close', (code) => resolve(code)));
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  const next = async (withinMs = 5000) => {
    if (messages.length > 0) return messages.shift();
    let waiter;
    const message = new Promise((resolve) => {
      waiter = resolve;
      waiting.push(resolve);
    });
    const got = await Promise.race([message, closed.then(() => null), sleep(withinMs, null, { ref: false })]);
    if (got === null && waiting.includes(waiter)) waiting.splice(waiting.indexOf(waiter), 1);
    return got;
  };
  return { socket, next, closed, send: (data) => socket.send(data) };
}

/** Resolves when `holds()` does; false when the time is over. */
export async function becomes(withinMs, holds) {
  const end = performance.now() + paced(withinMs);
  while (!(await holds())) {
    if (performance.now() > end) return false;
    await sleep(10);
  }
  return true;
}
