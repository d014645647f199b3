// Bodies that come slowly, over real connections.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { endSlowBody } from './slow-body.js';

const GRACE_MS = 150;
let server: Server;
beforeAll(async () => {
  server = createServer((request, response) => {
    endSlowBody(request, { graceMs: GRACE_MS, bytesPerMs: 1 });
    const read = () => request.resume().once('end', () => response.end('whole'));
    if (request.url === '/later') setTimeout(read, 4 * GRACE_MS);
    else read();
    request.once('error', () => undefined);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());

/** Sends a body of `bytes` in chunks; what the server says, or '' when it cuts the connection. */
async function post(bytes: number, pieceBytes: number, everyMs: number, path = '/'): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk;
  });
  // `once` would reject when it is cut.
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${bytes}\r\n\r\n`);
  for (let sent = 0; sent < bytes && !socket.destroyed; sent += pieceBytes) {
    socket.write('x'.repeat(Math.min(pieceBytes, bytes - sent)));
    await sleep(everyMs);
  }
  await closed;
  return text.includes('whole') ? 'whole' : '';
}

test('a body that stands still is cut', async () => expect(await post(1000, 1, 50)).toBe(''));
test('one that is quick enough may take longer than the grace', async () => {
  const start = performance.now();
  expect(await post(2000, 100, 20)).toBe('whole');
  expect(performance.now() - start).toBeGreaterThan(GRACE_MS);
});
test('one that nobody reads yet is not slow', async () => {
  expect(await post(2 ** 20, 2 ** 20, 0, '/later')).toBe('whole');
});
