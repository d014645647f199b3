import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeNewFile } from './write-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-file-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function* of(...chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
const admit = () => undefined;
const descriptors = () => readdirSync('/proc/self/fd').length;

test('all that comes is in the file, in order, in however large chunks', async () => {
  const path = join(folder, 'all');
  const chunks = [1, 600 * 1024, 3, 700 * 1024, 0, 5].map((bytes, at) => Buffer.alloc(bytes, at + 1));
  await writeNewFile(path, of(...chunks), admit);
  expect(readFileSync(path).equals(Buffer.concat(chunks))).toBe(true);
  expect(statSync(path).mode & 0o7133).toBe(0);
});

test('nothing makes an empty file', async () => {
  const path = join(folder, 'empty');
  await writeNewFile(path, of(), admit);
  expect(statSync(path).size).toBe(0);
});

test('a file that is there is not written to', async () => {
  const path = join(folder, 'twice');
  await writeNewFile(path, of(Buffer.from('mine')), admit);
  await expect(writeNewFile(path, of(Buffer.from('yours')), admit)).rejects.toMatchObject({ code: 'EEXIST' });
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

test('a chunk that is not admitted is not written, and the descriptor is closed', async () => {
  const path = join(folder, 'refused');
  const before = descriptors();
  let seen = 0;
  const twoOnly = () => {
    seen += 1;
    if (seen === 3) throw new Error('full');
  };
  const chunk = Buffer.alloc(600 * 1024);
  await expect(writeNewFile(path, of(chunk, chunk, chunk, chunk), twoOnly)).rejects.toThrow('full');
  expect(seen).toBe(3);
  expect(existsSync(path) ? statSync(path).size : 0).toBeLessThanOrEqual(2 * chunk.length);
  expect(descriptors()).toBe(before);
});

test('an upload in chunks of one byte takes little more memory than its bytes', async () => {
  const before = process.memoryUsage().rss;
  let most = before;
  async function* single() {
    for (let at = 0; at < 900_000; at += 1) {
      if (at % 100_000 === 0) most = Math.max(most, process.memoryUsage().rss);
      yield Buffer.alloc(1, at);
    }
  }
  const path = join(folder, 'single');
  await writeNewFile(path, single(), admit);
  expect(most - before).toBeLessThan(120 * 1024 * 1024);
  expect([statSync(path).size, readFileSync(path)[777]]).toEqual([900_000, 777 & 0xff]);
});
