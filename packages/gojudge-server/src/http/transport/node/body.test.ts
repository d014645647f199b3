// Bodies from streams: what is counted against the room of all, until when, and that it is given back.
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { Receiving, RequestRoom } from '@sbx/serving';
import { beforeEach, expect, test, vi } from 'vitest';
import { readBody } from './body.js';

const KIB = 1024;

function reading(maxBytes: number, receiveBytes = 1000, headers = {}) {
  const destroy = vi.fn();
  const request = Object.assign(new PassThrough(), { headers, socket: { destroy } });
  const receiving = new Receiving(receiveBytes);
  const body = readBody(request as unknown as IncomingMessage, maxBytes, { receiving, room });
  return { request, receiving, destroy, body };
}
/** One that says its size. */
const announced = (bytes: number) => reading(1000 * KIB, 0, { 'content-length': `${bytes}` });

let room: RequestRoom;
beforeEach(() => {
  room = new RequestRoom({ bytesMax: 100 * KIB, waitingMax: 1, comingMs: 100 });
});
const turn = () => new Promise(setImmediate);

test('a body counts while it comes, and no longer', async () => {
  const { request, receiving, body } = reading(10);
  request.write('hello ');
  await turn();
  expect(receiving.bytes).toBe(6);
  request.end('you');
  expect((await body).bytes.toString()).toBe('hello you');
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

test('a large one without a size is held from its end until it is answered', async () => {
  const { request, receiving, body } = reading(1000 * KIB, 1000 * KIB);
  request.end(Buffer.alloc(80 * KIB));
  const { place } = await body;
  expect([receiving.bytes, room.bytes]).toEqual([0, 80 * KIB]);
  place.free();
  expect(room.bytes).toBe(0);
});

test('a large one that says its size is read when there is room, and held until it is answered', async () => {
  const [first, second] = [announced(80 * KIB), announced(80 * KIB)];
  for (const { request } of [first, second]) request.end(Buffer.alloc(80 * KIB));
  const { place, bytes } = await first.body;
  await turn();
  expect([bytes.length, room.bytes, second.request.readableFlowing]).toEqual([80 * KIB, 80 * KIB, null]);
  place.free();
  expect((await second.body).bytes.length).toBe(80 * KIB);
});

test('when as many wait as may, the next may come again', async () => {
  const [, , third] = [announced(80 * KIB), announced(80 * KIB), announced(80 * KIB)];
  await expect(third.body).rejects.toMatchObject({ name: 'NoRoom', retryAfterMs: 1000 });
});

test('one that says it is too large takes no room', async () => {
  const { request, body } = reading(70 * KIB, 100 * KIB, { 'content-length': `${90 * KIB}` });
  request.write(Buffer.alloc(80 * KIB));
  await expect(body).rejects.toMatchObject({ message: 'request body is larger than 71680 bytes' });
  expect(room.bytes).toBe(0);
});

test('one that does not come while others wait is cut, and gives its room back', async () => {
  const [idle, waiting] = [announced(80 * KIB), announced(80 * KIB)];
  idle.destroy.mockImplementation(() => idle.request.destroy());
  await expect(idle.body).rejects.toThrow('the client went away');
  waiting.request.end(Buffer.alloc(80 * KIB));
  expect((await waiting.body).bytes.length).toBe(80 * KIB);
});

test('one whose client went away while it waited gives its room back', async () => {
  const [first, gone] = [announced(80 * KIB), announced(80 * KIB)];
  first.request.end(Buffer.alloc(80 * KIB));
  gone.request.destroy();
  (await first.body).place.free();
  await expect(gone.body).rejects.toThrow('the client went away');
  expect(room.bytes).toBe(0);
});

test('chunks of one byte take little more memory than their bytes', async () => {
  const { request, body } = reading(1000 * KIB, 1000 * KIB);
  const before = process.memoryUsage().rss;
  for (let at = 0; at < 1000 * KIB; at += 1) request.emit('data', Buffer.alloc(1, at));
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * KIB * KIB);
  request.end();
  const { bytes } = await body;
  expect([bytes.length, bytes[777]]).toEqual([1000 * KIB, 777 & 0xff]);
});
