// Who keeps a place for a transfer of files, over real sockets.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FileCalls } from '@sbx/core';
import { Places } from '@sbx/serving';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { RunFiles } from './files.js';

const MiB = 2 ** 20;
/** More than the kernel takes for a client that does not read. */
const FILE_BYTES = 48 * MiB;
const PLACE_COUNT = 2;
/** Files that are being read. */
let openCount = 0;

function* contentOf(path: string): Generator<Uint8Array> {
  openCount += 1;
  try {
    if (path === 'small') return yield Buffer.from('hi');
    const chunkBytes = path === 'coarse' ? FILE_BYTES / 3 : MiB;
    for (let count = 0; count < FILE_BYTES / chunkBytes; count += 1) yield Buffer.alloc(chunkBytes);
  } finally {
    openCount -= 1;
  }
}

const stat = vi.fn(async () => ({ sizeBytes: 2, modifiedMs: 0 }));
const files = {
  stat,
  createReadStream: (path: string) => Readable.from(contentOf(path), { objectMode: false }),
  lstat: async () => ({ kind: 'file', mode: 0o644 }),
  writeFile: async (_path: string, chunks: AsyncIterable<Uint8Array>) => {
    for await (const _chunk of chunks);
  },
  rename: async () => undefined,
  rm: async () => undefined,
} as unknown as FileCalls;

let server: Server;
let url: string;
const sockets: Socket[] = [];

beforeEach(async () => {
  const places = new Places(PLACE_COUNT, { stallMs: 500, bytesPerMs: 16 });
  const runFiles = new RunFiles({ filesOf: () => files }, () => null, places);
  server = createServer(
    (request, response) => void runFiles.answer(request.url!.slice(1), request, response),
  );
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  server.closeAllConnections();
});

/** A connection that does next to nothing after its head. */
function begin(head: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => undefined).pause();
  socket.write(`${head}\r\nHost: x\r\n\r\n`);
  return socket;
}

const small = async () => {
  const answer = await fetch(`${url}run/small`);
  return [answer.status, answer.headers.get('retry-after'), await answer.text()];
};
const BUSY = [503, '1', expect.stringContaining('transfers are under way')];

test.each([
  ['that is not read', 'GET /run/large HTTP/1.1'],
  ['that does not come', 'PUT /run/large HTTP/1.1\r\nContent-Length: 1000000'],
])('a transfer %s gives up its place when another needs it', async (_, head) => {
  for (let count = 0; count < PLACE_COUNT; count += 1) begin(head);
  await expect.poll(small, { timeout: 5000 }).toEqual(BUSY);
  await expect.poll(small, { timeout: 5000 }).toEqual([200, null, 'hi']);
});

test('one that goes on keeps it, however many come', async () => {
  const large = await fetch(`${url}run/large`);
  begin('GET /run/large HTTP/1.1');
  await expect.poll(small, { timeout: 5000 }).toEqual(BUSY);
  let bytes = 0;
  for await (const chunk of large.body!) {
    bytes += chunk.length;
    if (bytes % (4 * MiB) < chunk.length) await small();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(bytes).toBe(FILE_BYTES);
});

describe('the file of a download is closed when the connection is reset', () => {
  test.each([
    ['its first chunk waits', 'coarse'],
    ['later chunks wait', 'large'],
  ])('while %s for the client', async (_, path) => {
    const socket = begin(`GET /run/${path} HTTP/1.1`);
    await once(socket.resume(), 'data');
    socket.pause();
    expect(openCount).toBe(1);
    socket.resetAndDestroy();
    await expect.poll(() => openCount).toBe(0);
  });

  test('before it is opened', async () => {
    let goOn = () => {};
    const asked = new Promise<void>((resolve) => {
      stat.mockImplementationOnce(async () => {
        resolve();
        await new Promise<void>((go) => {
          goOn = go;
        });
        return { sizeBytes: 2, modifiedMs: 0 };
      });
    });
    const closed = once(server, 'connection').then(([served]: Socket[]) => once(served!, 'close'));
    const socket = begin('GET /run/large HTTP/1.1');
    await asked;
    socket.destroy();
    await closed;
    goOn();
    await expect.poll(small).toEqual([200, null, 'hi']);
    expect(openCount).toBe(0);
  });
});
