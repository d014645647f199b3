// Which calls begin, and when.
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, test } from 'vitest';
import { CallMemory, type CallShare } from './call-memory.js';

let all: CallMemory;
let memory: CallShare;
let begun: string[];
let ends: Map<string, () => void>;

beforeEach(() => {
  all = new CallMemory(1000);
  memory = all.share(1);
  begun = [];
  ends = new Map();
});

async function call(name: string, bytes: number, signal = new AbortController().signal): Promise<void> {
  await memory.during(bytes, signal, () => {
    begun.push(name);
    return new Promise<void>((resolve) => ends.set(name, resolve));
  });
}

async function end(name: string): Promise<void> {
  ends.get(name)!();
  await turn();
  await turn();
}

test('as many begin as have room, the others in order, and none overtakes', async () => {
  for (const [name, bytes] of [
    ['a', 600],
    ['b', 400],
    ['c', 900],
    ['d', 100],
  ] as const)
    void call(name, bytes);
  await turn();
  expect(begun).toEqual(['a', 'b']);
  await end('b');
  expect(begun).toEqual(['a', 'b']);
  await end('a');
  expect(begun).toEqual(['a', 'b', 'c', 'd']);
});

test('one that is larger than all there is runs alone', async () => {
  void call('a', 10);
  void call('large', 5000);
  void call('b', 10);
  await turn();
  expect(begun).toEqual(['a']);
  await end('a');
  expect(begun).toEqual(['a', 'large']);
  await end('large');
  expect(begun).toEqual(['a', 'large', 'b']);
});

test('one that fails, or is cancelled while it waits, gives back its room', async () => {
  await expect(
    memory.during(1000, AbortSignal.timeout(1000), () => Promise.reject(new Error('no'))),
  ).rejects.toThrow('no');
  void call('a', 1000);
  await turn();
  const cancelled = expect(call('b', 1000, AbortSignal.abort(new Error('b')))).rejects.toThrow('b');
  void call('c', 1000);
  await end('a');
  await cancelled;
  await turn();
  await turn();
  expect(begun).toEqual(['a', 'c']);
});

test.each([
  ['of all', () => all.unsent],
  ['of its own', () => memory.unsent[0]!],
])('none begins while clients do not take answers %s', async (_, unsent) => {
  const taker = { writableLength: 0, bytesWritten: 0, resetAndDestroy() {}, destroy() {} };
  unsent().hold(taker, 1001);
  void call('a', 1);
  await turn();
  expect(begun).toEqual([]);
  unsent().release(taker, 1);
  await turn();
  expect(begun).toEqual(['a']);
});

test('a session has its part, and who waits for that keeps no other waiting', async () => {
  memory = all.share(1 / 4);
  for (const name of ['a', 'b', 'c', 'd']) void call(name, 100);
  memory = all.share(1 / 4);
  void call('other', 250);
  await turn();
  expect(begun).toEqual(['a', 'b', 'other']);
  await end('b');
  expect(begun).toEqual(['a', 'b', 'other', 'c']);
});
