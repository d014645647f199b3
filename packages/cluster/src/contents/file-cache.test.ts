import assert from 'node:assert';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { sha256Of } from '../wire/blob.js';
import { FileCache } from './file-cache.js';

const CONTENT = Buffer.from('of somebody else');
const HASH = sha256Of(CONTENT);
const never = () => false;

let answer: () => void;
let cache: FileCache;
/** Of the last fetch, when it has begun. */
let isUnwanted: () => boolean;
let folder: string;

beforeEach(async () => {
  const answered = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const store = {
    put: () => Promise.resolve(),
    async *read(_tenant: string, { sizeBytes }: { sizeBytes: number }, isOver: () => boolean) {
      isUnwanted = isOver;
      await answered;
      if (sizeBytes !== CONTENT.byteLength) throw new Error('another size');
      yield CONTENT.subarray(0, 5);
      yield CONTENT.subarray(5);
    },
  };
  isUnwanted = () => assert.fail('no fetch has begun');
  folder = await mkdtemp(join(tmpdir(), 'sbx-test-cache-'));
  cache = new FileCache(store, folder, 2 ** 20);
});

afterEach(() => cache.close());

test('a job that gives a wrong size spoils no other job’s file', async () => {
  const wrong = cache.hold('a', { sha256: HASH, sizeBytes: 1 }, never);
  const right = cache.hold('a', { sha256: HASH, sizeBytes: CONTENT.byteLength }, never);
  answer();
  await expect(wrong).rejects.toThrow('another size');
  const { path, release } = await right;
  expect(await readFile(path)).toEqual(CONTENT);
  release();
  expect(cache.bytes).toBe(CONTENT.byteLength);
});

test('of a file that is another than its name says nothing stays', async () => {
  const other = { sha256: sha256Of(Buffer.from('of another one')), sizeBytes: CONTENT.byteLength };
  answer();
  await expect(cache.hold('a', other, never)).rejects.toThrow('something else');
  expect(await readdir(folder)).toEqual([]);
  expect([cache.bytes, cache.fetchedBytes]).toEqual([0, 0]);
});

test('a fetch goes on for as long as one of its jobs does', async () => {
  const blob = { sha256: HASH, sizeBytes: CONTENT.byteLength };
  const ended = [false, false];
  const holding = Promise.all([0, 1].map((index) => cache.hold('a', blob, () => ended[index]!)));
  await vi.waitFor(() => expect(isUnwanted()).toBe(false));
  ended[0] = true;
  expect(isUnwanted()).toBe(false);
  ended[1] = true;
  expect(isUnwanted()).toBe(true);
  answer();
  expect(await holding).toHaveLength(2);
});

test('files without a byte do not fill it either: those that were used last stay', async () => {
  const none = sha256Of(Buffer.alloc(0));
  const folder = await mkdtemp(join(tmpdir(), 'sbx-test-cache-'));
  const store = { put: () => Promise.resolve(), read: async function* () {} };
  const many = new FileCache(store, folder, 2 ** 20, 3);
  const blob = { sha256: none, sizeBytes: 0 };
  for (const tenant of ['a', 'b', 'c', 'a', 'd', 'a']) (await many.hold(tenant, blob, never)).release();
  expect(many.totals).toEqual({ hits: 2, fetches: 4, evictions: 1 });
  await many.close();
});
