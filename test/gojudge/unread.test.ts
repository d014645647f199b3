// Answers that nobody reads: together they hold no more than was allowed, and what reads gets all of it.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../helpers/wait.js';
import { cmd, post, useServer } from './server.js';

const MiB = 2 ** 20;
/** More than the kernel takes for a client that does not read. */
const ANSWER_BYTES = 24 * MiB;
const server = useServer({ answerTotalBytes: ANSWER_BYTES + 1 });

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

const LARGE = {
  cmd: [cmd(['/bin/sh', '-c', `head -c ${ANSWER_BYTES} /dev/zero | tr '\\0' x > f`], { copyOut: ['f'] })],
};

/** A connection whose answer comes when somebody reads. `more`: of the head. */
function ask(line: string, body = '', more = ''): Socket {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined).pause();
  ends.push(() => socket.destroy());
  socket.write(`${line} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n${more}\r\n${body}`);
  return socket;
}

async function bytesOf(socket: Socket): Promise<number> {
  let bytes = 0;
  let tail = '';
  for await (const chunk of socket) {
    bytes += chunk.length;
    tail = (tail + chunk.toString('latin1')).slice(-5);
    if (tail === '0\r\n\r\n') break;
  }
  return bytes;
}

async function waits(): Promise<void> {
  await until(10_000, 'runs wait', () => server.server.load().waiting > 0);
  await sleep(1000);
  expect(server.server.load()).toMatchObject({ active: 2 });
}

/** By Node's own server, or by the fast path. */
test.each([
  ['simple requests', ''],
  ['others', 'Odd: 1\r\n'],
])('of %s, which go on when they are read', async (_, more) => {
  const sockets = Array.from({ length: 6 }, () => ask('POST /run', JSON.stringify(LARGE), more));
  await waits();
  for (const read of await Promise.all(sockets.map(bytesOf))) expect(read).toBeGreaterThan(ANSWER_BYTES);
  expect(server.server.load()).toEqual({ active: 0, waiting: 0 });
});

test('of WebSockets', async () => {
  const sockets = await Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`);
      ends.push(() => socket.terminate());
      await once(socket, 'open');
      socket.send(JSON.stringify({ requestId: `${index}`, ...LARGE }));
      socket.pause();
      return socket;
    }),
  );
  await waits();
  const answers = sockets.map((socket) => once(socket, 'message'));
  for (const socket of sockets) socket.resume();
  for (const [answer] of await Promise.all(answers)) expect(answer.length).toBeGreaterThan(ANSWER_BYTES);
});

test('downloads wait for room, and clients that go away make some', async () => {
  const request = { cmd: [cmd(['/bin/sh', '-c', 'head -c 9 /dev/zero > f'], { copyOutCached: ['f'] })] };
  const [{ fileIds }] = (await (await post(server.url, request)).json()) as [{ fileIds: { f: string } }];
  const unread = Array.from({ length: 6 }, () => ask('POST /run', JSON.stringify(LARGE)));
  await waits();
  let got = 0;
  const download = fetch(`${server.url}/file/${fileIds.f}`).then(async (response) => {
    got = (await response.arrayBuffer()).byteLength;
  });
  await sleep(500);
  expect(got).toBe(0);
  for (const socket of unread) socket.destroy();
  await download;
  expect(got).toBe(9);
});
