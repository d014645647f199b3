import { expect, test } from 'vitest';
import { ByteChunks } from './byte-chunks.js';

const KIB = 1024;

/** Bytes that differ from their neighbours, so that an order that is wrong shows. */
function numbered(bytes: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: bytes }, (_, at) => (at * 7919) >> 3));
}

function cut(whole: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  for (let at = 0; at < whole.length; at += chunks.at(-1)!.length) {
    chunks.push(whole.subarray(at, at + sizes[chunks.length % sizes.length]!));
  }
  return chunks;
}

test.each([
  [[1]],
  [[3, 1000, 17]],
  [[16 * KIB - 1]],
  [[64 * KIB]],
  [[1, 16 * KIB, 2, 3, 40 * KIB]],
  [[200 * KIB, 1]],
])('chunks of %j bytes are what they were', (sizes) => {
  const whole = numbered(300 * KIB + 5);
  const chunks = new ByteChunks();
  for (const chunk of cut(whole, sizes)) chunks.add(chunk);
  expect(chunks.bytes).toBe(whole.length);
  expect(chunks.takeJoined().equals(whole)).toBe(true);
  expect([chunks.bytes, chunks.takeJoined().length]).toEqual([0, 0]);
});

test('what is added after a part was taken is the next part', () => {
  const chunks = new ByteChunks();
  chunks.add(Buffer.from('ab'));
  const first = chunks.take();
  chunks.add(Buffer.from('cd'));
  chunks.add(Buffer.from('e'));
  expect([Buffer.concat(first).toString(), chunks.takeJoined().toString()]).toEqual(['ab', 'cde']);
});

test('a large chunk is not copied', () => {
  const chunks = new ByteChunks();
  const chunk = Buffer.alloc(64 * KIB);
  chunks.add(chunk);
  expect(chunks.takeJoined().buffer).toBe(chunk.buffer);
});

test('chunks of one byte take little more memory than their bytes', () => {
  const chunks = new ByteChunks();
  const before = process.memoryUsage().rss;
  for (let at = 0; at < 2_000_000; at += 1) chunks.add(Buffer.alloc(1));
  expect(process.memoryUsage().rss - before).toBeLessThan(200 * KIB * KIB);
  expect(chunks.take().length).toBeLessThan(50);
});
