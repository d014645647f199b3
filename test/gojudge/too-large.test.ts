// Bodies over the limit: the answer reaches a client that still sends, and a client that never stops is cut
// off.
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { timed } from '../helpers/wait.js';
import { useServer } from './server.js';

/** What lingers reads as much again. */
const LIMIT = 2 ** 18;
const TRIES = 50;
const END = '\r\n0\r\n\r\n';
const PIECE_BYTES = 16 * 1024;
const server = useServer({ bodyMaxBytes: LIMIT, storeMaxBytes: LIMIT });

interface Heard {
  text: string;
  /** What ended the connection; `null` for an orderly end. */
  error: NodeJS.ErrnoException | null;
}

/** Sends by `send` and hears until the connection ends. */
function talk(send: (socket: Socket) => void): Promise<Heard> {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(server.url);
    const heard: Heard = { text: '', error: null };
    const socket = connect(Number(port), hostname, () => send(socket));
    socket.on('data', (chunk) => {
      heard.text += chunk;
    });
    socket.on('error', (error) => {
      heard.error = error;
    });
    socket.on('close', () => resolve(heard));
  });
}

const head = (path: string, headers: string) => `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`;
const part = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n';
const multipart = `Content-Type: multipart/form-data; boundary=b\r\nContent-Length: ${part.length + 2 * LIMIT}`;
const body = 'x'.repeat(2 * LIMIT);
const chunked = `${head('/run', 'Transfer-Encoding: chunked')}${body.length.toString(16)}\r\n`;

/**
 * As programs do that write a request and then read: an error of the connection before that costs them the
 * answer.
 */
async function sendThenRead(socket: Socket, request: string): Promise<void> {
  socket.pause();
  for (let at = 0; at < request.length && !socket.destroyed; at += PIECE_BYTES) {
    await new Promise((resolve) => socket.write(request.slice(at, at + PIECE_BYTES), resolve));
    await setImmediate(); // the server is in this process
  }
  socket.resume();
}

test.each([
  ['a body of known length', head('/run', `Content-Length: ${2 * LIMIT}`), '400 Bad Request', LIMIT],
  ['chunks', chunked, '400 Bad Request', LIMIT],
  ['a file for which the store has no room', head('/file', multipart) + part, '500 Internal', 'full'],
])(
  '%s: who sends twice the limit and then reads sees the answer',
  { timeout: 60_000 },
  async (_what, start, status, why) => {
    for (let done = 0; done < TRIES; done += 1) {
      const { text } = await talk(
        (socket) => void sendThenRead(socket, `${start}${body}${start === chunked ? END : ''}`),
      );
      expect(text, `try ${done}`).toContain(`HTTP/1.1 ${status}`);
      expect(text).toContain(String(why));
    }
  },
);

test('by fetch', { timeout: 60_000 }, async () => {
  for (let done = 0; done < TRIES; done += 1) {
    const response = await fetch(`${server.url}/run`, { method: 'POST', body });
    expect([response.status, await response.json()]).toEqual([
      400,
      `request body is larger than ${LIMIT} bytes`,
    ]);
  }
});

test('a little too much is read to its end, and the connection ends in order', async () => {
  const bytes = LIMIT + 100_000;
  const request = `${head('/run', `Content-Length: ${bytes}`)}${'x'.repeat(bytes)}`;
  const { value, ms, stolenMs } = await timed(() => talk((socket) => void sendThenRead(socket, request)));
  expect(value).toEqual({ text: expect.stringMatching(/^HTTP\/1.1 400 /), error: null });
  expect(ms - stolenMs).toBeLessThan(400);
});

test('who never stops is cut off, and little of it is read', async () => {
  let sent = 0;
  const pour = (socket: Socket) => {
    socket.write(head('/run', 'Transfer-Encoding: chunked'));
    const chunk = `10000\r\n${'x'.repeat(2 ** 16)}\r\n`;
    const more = () => {
      if (socket.destroyed) return;
      while (socket.write(chunk)) sent += 2 ** 16;
      socket.once('drain', more);
    };
    more();
  };
  const { value, ms } = await timed(() => talk(pour));
  expect(value.text).toContain('HTTP/1.1 400 ');
  expect(ms).toBeLessThan(1500);
  expect(sent).toBeLessThan(32 * 2 ** 20); // what the kernel holds on the way counts too
});

test('who sends a byte now and then is cut off too', async () => {
  let timer: NodeJS.Timeout | undefined;
  const { value, ms } = await timed(() =>
    talk((socket) => {
      socket.write(`${head('/run', `Content-Length: ${2 * LIMIT}`)}${'x'.repeat(LIMIT + 1)}`);
      timer = setInterval(() => socket.write('x'), 50);
    }),
  );
  clearInterval(timer);
  expect(value.text).toContain('HTTP/1.1 400 ');
  expect(ms).toBeLessThan(1500);
});
