// Requests that never come whole: together they hold no more than was allowed, and it comes back.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../helpers/wait.js';
import { cmd, post, useServer } from './server.js';

const MiB = 2 ** 20;
const server = useServer({ receiveTotalBytes: 4 * MiB });

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

interface Half {
  answer: string;
  closed: boolean;
}

/** Sends this much and no more. */
function sendHalf(head: string | Buffer, bytes: number): Half {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  open.push(socket);
  const half: Half = { answer: '', closed: false };
  socket.on('data', (chunk) => (half.answer += chunk.toString('latin1')));
  socket.on('error', () => undefined);
  socket.on('close', () => (half.closed = true));
  socket.write(head);
  socket.write(Buffer.alloc(bytes, 0x20));
  return half;
}

const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const UPGRADE = `GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}\r\n\r\n`;
/** A masked text frame of 64 MiB, all of whose bytes are 0. */
const FRAME = Buffer.from([0x81, 0xff, 0, 0, 0, 0, 4, 0, 0, 0, 0x20, 0x20, 0x20, 0x20]);

async function runsAgain(): Promise<void> {
  const content = 'x'.repeat(3 * MiB);
  const ask = async () => {
    const request = { cmd: [cmd(['/bin/true'], { copyIn: { a: { content } } })] };
    return (await post(server.url, request)).status === 200;
  };
  await until(5000, 'there is room again', ask);
}

describe('half-sent', () => {
  test('bodies of no known size', async () => {
    const chunk = (64 * MiB).toString(16);
    const head = `POST /run HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}\r\n`;
    const halves = Array.from({ length: 8 }, () => sendHalf(head, MiB));
    const refused = () => halves.filter(({ answer }) => answer !== '');
    await until(5000, 'some are refused', () => refused().length >= 4);
    for (const { answer } of refused()) {
      expect(answer).toMatch(/^HTTP\/1\.1 500 .*\r\n/);
      expect(answer).toContain('Retry-After: 1');
      expect(answer).toContain('"too many requests are being received"');
    }
    expect(refused().length).toBeLessThan(8);
    for (const socket of open.splice(0)) socket.destroy();
    await runsAgain();
  });

  test('messages', async () => {
    const halves = Array.from({ length: 8 }, () =>
      sendHalf(Buffer.concat([Buffer.from(UPGRADE), FRAME]), MiB),
    );
    await until(5000, 'some are cut', () => halves.filter(({ closed }) => closed).length >= 4);
    expect(halves.filter(({ closed }) => closed).length).toBeLessThan(8);
    for (const socket of open.splice(0)) socket.destroy();
    await runsAgain();
  });

  test('a socket that sends one message after another is never cut', async () => {
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/ws`);
    await once(socket, 'open');
    const content = 'x'.repeat(MiB);
    for (let count = 0; count < 12; count += 1) {
      const request = { requestId: `${count}`, cmd: [cmd(['/bin/true'], { copyIn: { a: { content } } })] };
      socket.send(JSON.stringify(request));
      const [answer] = (await once(socket, 'message')) as [Buffer];
      expect(JSON.parse(answer.toString())).toMatchObject({ results: [{ status: 'Accepted' }] });
    }
    socket.terminate();
  });
});

test('headers of a part without end are answered, also to who sends all of them first', async () => {
  const boundary = 'b';
  const body = `--${boundary}\r\nContent-Disposition: form-data; name="file"; x="${'x'.repeat(10_000_000)}"\r\n\r\n`;
  const head = `POST /file HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${body.length + 100}\r\n\r\n`;
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  open.push(socket);
  socket.on('error', () => undefined).pause();
  await once(socket, 'connect');
  await new Promise<unknown>((resolve) => socket.write(head + body, resolve));
  const answered = once(socket, 'data');
  socket.resume();
  const [answer] = (await answered) as [Buffer];
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 400 /);
});
