import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sha256Of } from '../wire/blob.js';
import { FileCache } from './file-cache.js';

const CONTENT = Buffer.from('of somebody else');
const HASH = sha256Of(CONTENT);

let answer: () => void;
let cache: FileCache;

beforeEach(async () => {
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const store = {
    put: () => Promise.resolve(),
    async get(_sha256: string, sizeBytes: number) {
      await answered;
      if (sizeBytes !== CONTENT.byteLength) throw new Error('another size');
      return CONTENT;
    },
  };
  cache = new FileCache(store, await mkdtemp(join(tmpdir(), 'sbx-test-cache-')), 2 ** 20);
});

afterEach(() => cache.close());

test('a job that gives a wrong size spoils no other job’s file', async () => {
  const wrong = cache.hold(HASH, 1);
  const right = cache.hold(HASH, CONTENT.byteLength);
  answer();
  await expect(wrong).rejects.toThrow('another size');
  const { path, release } = await right;
  expect(await readFile(path)).toEqual(CONTENT);
  release();
  expect(cache.bytes).toBe(CONTENT.byteLength);
});
