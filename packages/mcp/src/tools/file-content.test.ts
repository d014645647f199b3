import { Readable } from 'node:stream';
import type { FileStat } from '@sbx/core';
import { expect, test } from 'vitest';
import { bytesOf, contentOf, readPart } from './file-content.js';

/** A sandbox whose only file comes in these chunks. */
const inChunks = (chunks: Iterable<Uint8Array>, sizeBytes: number) => ({
  stat: async () => ({ sizeBytes }) as FileStat,
  createReadStream: () => Readable.from(chunks),
});
const of = (bytes: Uint8Array) =>
  inChunks([bytes.subarray(0, 3), bytes.subarray(3, 4), bytes.subarray(4)], bytes.byteLength);

test.each([
  ['text', 'äöü', 'utf-8'],
  ['a byte order mark', '\ufeffx', 'utf-8'],
])('%s comes back as it went in', (_, content, encoding) => {
  expect(contentOf(bytesOf(content, 'utf-8'))).toEqual({ content, encoding });
});

test.each([
  ['no UTF-8', Buffer.from([0xff]), '/w=='],
  ['a zero byte', Buffer.from([0x61, 0]), 'YQA='],
])('%s is base64', (_, bytes, content) => {
  expect(contentOf(bytes)).toEqual({ content, encoding: 'base64' });
  expect(Buffer.from(bytesOf(content, 'base64'))).toEqual(bytes);
});

test.each(['x', '====', 'AA=A', 'AA A', 'AA'])('%j is no base64', (content) => {
  expect(() => bytesOf(content, 'base64')).toThrow(/must be base64/);
});

test('parts of a text join to it, and none ends inside a character', async () => {
  const text = 'aä€😀'.repeat(50);
  const bytes = Buffer.from(text);
  let joined = '';
  for (let offsetBytes = 0; offsetBytes < bytes.byteLength; ) {
    const part = await readPart(of(bytes), 'x', { offsetBytes, bytesMax: 7 });
    expect(part.sizeBytes).toBe(bytes.byteLength);
    expect(part.bytes.byteLength).toBeGreaterThan(3);
    expect(contentOf(part.bytes).encoding).toBe('utf-8');
    joined += contentOf(part.bytes).content;
    offsetBytes += part.bytes.byteLength;
  }
  expect(joined).toBe(text);
});

test('nothing is beyond the end', async () => {
  const part = await readPart(of(Buffer.from('x')), 'x', { offsetBytes: 5, bytesMax: 10 });
  expect(part).toMatchObject({ bytes: { byteLength: 0 }, sizeBytes: 1 });
});

test('of a large file no more is read than up to the end of the part', async () => {
  let taken = 0;
  function* chunks() {
    for (; taken < 1000; taken += 1) yield Buffer.alloc(64 * 1024, 'x');
  }
  const part = await readPart(inChunks(chunks(), 2 ** 26), 'x', { offsetBytes: 100_000, bytesMax: 10 });
  expect(part).toMatchObject({ bytes: { byteLength: 10 }, sizeBytes: 2 ** 26 });
  expect(taken).toBeLessThan(100);
});

test('and of one above the bound nothing', async () => {
  const reading = readPart(inChunks([], 2 ** 26 + 1), 'x', { offsetBytes: 0, bytesMax: 10 });
  await expect(reading).rejects.toThrow(expect.objectContaining({ code: 'SBX_FILE_TOO_LARGE' }));
});
