// Bodies as they come from Node: what is counted, and what small chunks cost.
import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Receiving } from '@sbx/serving';
import { expect, test } from 'vitest';
import { type Body, readBody } from './body.js';

const MIB = 2 ** 20;

function reading(bytesMax = MIB) {
  const request = Object.assign(new EventEmitter(), { headers: {} });
  const response = new EventEmitter();
  const receiving = new Receiving(MIB);
  const body = readBody(
    request as unknown as IncomingMessage,
    response as unknown as ServerResponse,
    bytesMax,
    receiving,
  );
  body.catch(() => undefined); // the response closes after it
  return { request, response, receiving, body };
}

const bytesOf = async (body: ReturnType<typeof readBody>) => Buffer.from(((await body) as Body).bytes);

test('a body counts until its response ends', async () => {
  const { request, response, receiving, body } = reading();
  for (const text of ['{"a"', ':', '1}']) request.emit('data', Buffer.from(text));
  request.emit('end');
  expect((await bytesOf(body)).toString()).toBe('{"a":1}');
  expect(receiving.bytes).toBe(7);
  response.emit('close');
  expect(receiving.bytes).toBe(0);
});

test('a body that calls use counts until the last of them has ended', async () => {
  const { request, response, receiving, body } = reading();
  request.emit('data', Buffer.from('[1]'));
  request.emit('end');
  const { count } = (await body) as Body;
  const ends = [count.use(), count.use()];
  response.emit('close');
  for (const end of ends) {
    expect(receiving.bytes).toBe(3);
    end();
  }
  expect(receiving.bytes).toBe(0);
});

test('one that is too large is refused, and counts no more', async () => {
  const { request, receiving, body } = reading(3);
  for (const text of ['12', '34']) request.emit('data', Buffer.from(text));
  expect([await body, receiving.bytes]).toEqual(['too-large', 0]);
});

test('chunks of one byte take little more memory than their bytes', async () => {
  const { request, body } = reading();
  const before = process.memoryUsage().rss;
  for (let at = 0; at < 1_000_000; at += 1) request.emit('data', Buffer.alloc(1, 32));
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * MIB);
  request.emit('end');
  expect((await bytesOf(body)).length).toBe(1_000_000);
});
