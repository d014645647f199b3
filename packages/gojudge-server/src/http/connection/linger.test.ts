// An answer while the request still comes, over a real connection.
import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endLingering, type Linger } from './linger.js';

const HEADERS = { 'Content-Length': 4, Connection: 'close' };
let linger: Linger;
let server: Server;
beforeAll(async () => {
  server = createServer((_request, response) => {
    response.writeHead(400, HEADERS);
    endLingering(response, 'nope', linger);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => void server.close());
beforeEach(() => {
  linger = { ms: 10_000, bytes: 2 ** 20 };
});

/** Sends `sent` of a body of `bytes`; what came until the connection was over. */
async function post(bytes: number, sent: number): Promise<string> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  let text = '';
  socket
    .on('error', () => undefined)
    .on('data', (data) => {
      text += data;
    });
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${bytes}\r\n\r\n`);
  socket.write('x'.repeat(sent));
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

test('is received by who sends all of the body first', async () => {
  expect(await post(500_000, 500_000)).toMatch(/^HTTP\/1\.1 400 [\s\S]*nope$/);
});

test('cuts who stops sending off after a while, with the answer', async () => {
  linger = { ms: 30, bytes: 2 ** 20 };
  expect(await post(500_000, 10)).toMatch(/nope$/);
});

test('reads no more than so much, however much has come', () => {
  const socket = { destroy: () => undefined };
  const read = vi.fn((): Buffer | null => (read.mock.calls.length > 9 ? null : Buffer.alloc(400)));
  const request = Object.assign(new EventEmitter(), { readableEnded: false, socket, read });
  const response = { req: request, write: () => true, end: vi.fn() };
  endLingering(response as unknown as ServerResponse, 'nope', { ms: 10, bytes: 1000 });
  request.emit('readable');
  expect(read).toHaveBeenCalledTimes(3);
  expect(response.end).not.toHaveBeenCalled();
  request.emit('end');
  expect(response.end).toHaveBeenCalledOnce();
  request.emit('close');
});
