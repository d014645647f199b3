/** A refused upgrade leaves nothing of its connection, whatever the client does with its side. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { refuseUpgrade } from './refuse.js';

const HEAD = 'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

let refused: Duplex;
const server = createServer().on('upgrade', (_request, socket) => {
  refused = socket;
  refuseUpgrade(socket, '403 Forbidden', { 'Content-Type': 'text/plain' }, 'no');
});

beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterAll(() => {
  server.close();
});

/** A client that never closes its side by itself. */
async function open(): Promise<Socket> {
  const client = connect({
    port: (server.address() as AddressInfo).port,
    host: '127.0.0.1',
    allowHalfOpen: true,
  });
  await once(client, 'connect');
  return client;
}

test.each([
  ['says nothing more', ''],
  ['goes on sending', 'x'.repeat(100_000)],
])('a client that %s gets the answer, and is cut off', async (_, more) => {
  const client = await open();
  client.on('error', () => undefined);
  client.write(HEAD + more);
  let text = '';
  client.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  await once(client, 'end');
  expect(text).toMatch(
    /^HTTP\/1\.1 403 Forbidden\r\n[\s\S]*Content-Length: 2\r\nConnection: close\r\n\r\nno$/,
  );
  await expect.poll(() => refused.destroyed, { timeout: 3000 }).toBe(true);
  client.destroy();
});
