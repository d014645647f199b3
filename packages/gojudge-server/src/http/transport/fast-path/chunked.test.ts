import type { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { sendChunked } from './chunked.js';

async function sent(...chunks: string[]) {
  const socket = new PassThrough();
  const body = function* () {
    for (const chunk of chunks) yield Buffer.from(chunk);
  };
  const bytes = await sendChunked(socket as unknown as Socket, body as never);
  return { bytes, text: String(socket.read()), listeners: socket.listenerCount('close') };
}

test('each chunk has its length before it, and the last is of none', async () => {
  const { bytes, text, listeners } = await sent('hello', 'x'.repeat(17));
  expect(text).toBe(`5\r\nhello\r\n11\r\n${'x'.repeat(17)}\r\n0\r\n\r\n`);
  expect([bytes, listeners]).toEqual([22, new PassThrough().listenerCount('close')]);
});

test('an empty chunk is not sent: it would be the end', async () => {
  expect((await sent('a', '', 'b')).text).toBe('1\r\na\r\n1\r\nb\r\n0\r\n\r\n');
});
