import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { shareHeads } from './head-share.js';

const KiB = 1024;
const bounds = { bytesMax: 64 * KiB, bytesMin: 8 * KiB, totalBytes: 128 * KiB };

describe('the head of a request', () => {
  const server = createServer((_request, response) => response.end());
  shareHeads(server, bounds);
  const opened: Socket[] = [];

  beforeEach(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterEach(async () => {
    for (const socket of opened.splice(0)) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = async () => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined);
    opened.push(socket);
    await once(server, 'connection');
    return socket;
  };
  const statusOf = async (socket: Socket, headBytes: number) => {
    socket.write(`GET / HTTP/1.1\r\nHost: x\r\nOdd: ${'x'.repeat(headBytes)}\r\n\r\n`);
    const [answer] = await once(socket, 'data');
    return Number(/^HTTP\/1.1 (\d+)/.exec(`${answer}`)?.[1]);
  };

  it('may be large while there are few connections', async () => {
    expect(await statusOf(await open(), 60 * KiB)).toBe(200);
    expect(await statusOf(await open(), 70 * KiB)).toBe(431);
  });

  it('has its share where there are many, and those that were there theirs', async () => {
    const first = await open();
    for (let i = 0; i < 6; i += 1) await open();
    expect(await statusOf(await open(), 20 * KiB)).toBe(431);
    expect(await statusOf(await open(), 10 * KiB)).toBe(200);
    expect(await statusOf(first, 60 * KiB)).toBe(200);
  });

  it('may have the least in any case', async () => {
    for (let i = 0; i < 20; i += 1) await open();
    expect(await statusOf(await open(), 7 * KiB)).toBe(200);
  });

  it('counts a connection once that comes again, as with each offer of an upgrade', async () => {
    const socket = new Socket().setMaxListeners(0); // Node's server takes its own off with each offer
    for (let i = 0; i < 20; i += 1) server.emit('connection', socket);
    expect(await statusOf(await open(), 60 * KiB)).toBe(200);
    socket.destroy();
  });

  it('may be large again when the others are gone', async () => {
    for (let i = 0; i < 20; i += 1) await open();
    for (const socket of opened.splice(0)) socket.destroy();
    await expect.poll(async () => statusOf(await open(), 60 * KiB)).toBe(200);
  });
});
