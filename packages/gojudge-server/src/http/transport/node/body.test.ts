// Bodies from streams: what is counted against the room of all, and that it is given back.
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { Receiving } from '@sbx/serving';
import { expect, test } from 'vitest';
import { readBody } from './body.js';

function reading(maxBytes: number, room = 1000) {
  const request = new PassThrough();
  const receiving = new Receiving(room);
  return { request, receiving, body: readBody(request as unknown as IncomingMessage, maxBytes, receiving) };
}
const turn = () => new Promise(setImmediate);

test('a body counts while it comes, and no longer', async () => {
  const { request, receiving, body } = reading(10);
  request.write('hello ');
  await turn();
  expect(receiving.bytes).toBe(6);
  request.end('you');
  expect((await body).toString()).toBe('hello you');
  expect(receiving.bytes).toBe(0);
});

test('one that is too large is refused with the bound, and nothing more of it is read', async () => {
  const { request, receiving, body } = reading(5);
  request.write('123');
  request.write('456');
  await expect(body).rejects.toMatchObject({
    name: 'BodyTooLarge',
    message: 'request body is larger than 5 bytes',
  });
  expect([receiving.bytes, request.isPaused(), request.listenerCount('data')]).toEqual([0, true, 0]);
});

test('one that has no room beside the others may come again', async () => {
  const { request, receiving, body } = reading(100, 4);
  receiving.take(3);
  request.write('12');
  await expect(body).rejects.toMatchObject({ name: 'NoRoom', retryAfterMs: 1000 });
  expect(receiving.bytes).toBe(3);
});

test('a client that goes away gives its room back', async () => {
  const { request, receiving, body } = reading(100);
  request.write('12');
  await turn();
  request.destroy();
  await expect(body).rejects.toThrow('the client went away');
  expect(receiving.bytes).toBe(0);
});
