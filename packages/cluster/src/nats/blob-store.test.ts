import { setImmediate } from 'node:timers/promises';
import type { MsgHdrs } from '@nats-io/transport-node';
import { beforeEach, expect, test, vi } from 'vitest';
import { NatsBlobStore } from './blob-store.js';
import type { Broker } from './connection.js';

const HASH = 'a'.repeat(64);
const ENTRY = `$O.sbx-files.M.t.${HASH}`;
const never = () => false;

/** The last message of each subject. */
let stored: Map<string, { data: Buffer; marks: number; isOwn: boolean }>;
/** When the broker had them, by its clock. */
let time: Date;
const health = { isConnected: true, losses: 0, refusal: null };
const FILE_MS = 1e9;
const published = vi.fn();
let store: NatsBlobStore;
let broker: Broker;

beforeEach(() => {
  stored = new Map();
  time = new Date();
  published.mockReset();
  const getMessage = async (_stream: string, { last_by_subj }: { last_by_subj: string }) => {
    const message = stored.get(last_by_subj);
    if (message === undefined) return null;
    const { data, marks, isOwn } = message;
    return {
      ...{ data, time },
      json: () => JSON.parse(data.toString()),
      header: { values: () => Array(marks).fill('x'), has: () => isOwn },
    };
  };
  const publish = async (subject: string, data: Buffer | string, options: { headers: MsgHdrs }) => {
    await published(subject);
    stored.set(subject, { data: Buffer.from(data), marks: 1, isOwn: options.headers.has('Sbx-Own') });
  };
  broker = {
    manager: { direct: { getMessage }, streams: { getMessage } },
    ...{ client: { publish }, filesAreDirect: true, fileMs: FILE_MS, health },
    connection: { info: { max_payload: 2 ** 20 }, isClosed: () => false, isDraining: () => false },
  } as unknown as Broker;
  store = new NatsBlobStore(broker);
});

const content = (bytes: number) => Buffer.from(Array.from({ length: bytes }, (_, index) => index % 251));
const put = (bytes: Buffer) => store.put('t', HASH, bytes, never);
const read = (sizeBytes: number, tenant = 't') => store.read(tenant, { sha256: HASH, sizeBytes }, never);
const get = async (sizeBytes: number, tenant?: string) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of read(sizeBytes, tenant)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

test.each([1, 2 ** 18, 2 ** 18 + 1, 3 * 2 ** 20 + 5])('%i bytes come as they went', async (bytes) => {
  await put(content(bytes));
  expect(Buffer.compare(await get(bytes), content(bytes))).toBe(0);
});

test('what is there is not sent again, and another tenant has none of it', async () => {
  await Promise.all([put(content(10)), put(content(10))]);
  await put(content(10));
  expect(published).toHaveBeenCalledTimes(2);
  await expect(get(10, 'other')).rejects.toThrow('has no');
});

test.each([
  ['half of its time', -FILE_MS / 2, true],
  ['less than that', -FILE_MS / 3, false],
  ['ten minutes from now, as clocks differ', 600_000, false],
  ['a year from now, as a clock was wrong', 365 * 86_400_000, true],
])('a file that the broker has for %s', async (_what, fromNowMs, isSentAgain) => {
  await put(content(10));
  time = new Date(Date.now() + fromNowMs);
  health.losses += 1; // what was seen before that counts no more
  published.mockReset();
  await put(content(10));
  expect(published).toHaveBeenCalledTimes(isSentAgain ? 2 : 0);
});

test('a chunk that the broker did not answer for is sent again to its own place', async () => {
  published.mockRejectedValueOnce(new Error('timeout'));
  await put(content(10));
  const chunks = published.mock.calls.map(([subject]) => subject).filter((one) => one.includes('.C.'));
  expect(new Set(chunks).size).toBe(1);
  expect(chunks.length).toBe(2);
  expect(Buffer.compare(await get(10), content(10))).toBe(0);
});

test('chunks wait at the broker until those before them were taken, but for some', async () => {
  const bytes = 20 * 2 ** 18;
  await put(content(bytes));
  const { getMessage } = broker.manager.direct;
  const asked = vi.spyOn(broker.manager.direct, 'getMessage').mockImplementation(getMessage);
  const reading = read(bytes);
  for (let taken = 1; taken <= 20; taken += 1) {
    await reading.next();
    await setImmediate();
    expect(asked).toHaveBeenCalledTimes(1 + Math.min(20, taken + 7)); // the entry, and eight at once
  }
  expect(await reading.next()).toEqual({ done: true, value: undefined });
});

test('a content with more than its size, or with less, is an error', async () => {
  await put(content(2 ** 18 + 7));
  const [chunk] = [...stored.keys()].filter((subject) => subject.endsWith('.1'));
  for (const bytes of [6, 8]) {
    stored.set(chunk!, { data: content(bytes), marks: 1, isOwn: true });
    await expect(get(2 ** 18 + 7)).rejects.toThrow('only a part');
  }
  stored.delete(chunk!);
  await expect(get(2 ** 18 + 7)).rejects.toThrow('only a part');
  await expect(get(10)).rejects.toThrow('of 10 bytes');
}, 15_000);

test.each([
  ['an answer of the broker to another', { chunkBytes: 2 ** 18 }, 2, true],
  ['such an answer without its headers', { chunkBytes: 2 ** 18 }, 1, false],
  ['one with chunks of a byte', { chunkBytes: 1 }, 1, true],
  ['one with chunks of a KiB', { chunkBytes: 1024 }, 1, true],
  ['none', null, 1, true],
])(
  '%s in the place of an entry counts as no entry, and the file is sent',
  async (_what, more, marks, isOwn) => {
    const entry = { nuid: 'n', size: 10, mtime: new Date().toISOString(), ...more };
    stored.set(ENTRY, { data: Buffer.from(more === null ? 'x' : JSON.stringify(entry)), marks, isOwn });
    await put(content(10));
    expect(Buffer.compare(await get(10), content(10))).toBe(0);
  },
);

test('where the bucket is asked for otherwise, an answer in the place of an entry has one mark', async () => {
  broker.filesAreDirect = false;
  const entry = { nuid: 'n', size: 10, chunkBytes: 2 ** 18, mtime: '' };
  stored.set(ENTRY, { data: Buffer.from(JSON.stringify(entry)), marks: 1, isOwn: true });
  await put(content(10));
  expect(published).toHaveBeenCalledTimes(2);
  stored.set(ENTRY, { ...stored.get(ENTRY)!, marks: 0 });
  expect(Buffer.compare(await get(10), content(10))).toBe(0);
});
