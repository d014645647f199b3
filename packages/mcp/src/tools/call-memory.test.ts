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
  await memory.during(bytes, { mcpReq: { signal } }, () => {
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

test('one that fails gives back its room, and one that is cancelled before it comes has none', async () => {
  const caller = { mcpReq: { signal: new AbortController().signal } };
  await expect(memory.during(1000, caller, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  await expect(call('late', 1000, AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
  void call('a', 1000);
  await turn();
  await turn();
  expect(begun).toEqual(['a']);
});

test('one that is cancelled while it waits is given up at once, and the next has its turn', async () => {
  const controller = new AbortController();
  void call('a', 600);
  const cancelled = expect(call('b', 900, controller.signal)).rejects.toThrow('b');
  void call('c', 400);
  await turn();
  controller.abort(new Error('b'));
  await cancelled;
  await turn();
  expect(begun).toEqual(['a', 'c']);
});

test('one that is cancelled while it waits for room of all leaves that of its session', async () => {
  memory = all.share(1 / 4);
  const controller = new AbortController();
  const other = all.share(1);
  const caller = { mcpReq: { signal: new AbortController().signal } };
  void other.during(1000, caller, () => new Promise<void>((resolve) => ends.set('other', resolve)));
  const cancelled = expect(call('a', 250, controller.signal)).rejects.toThrow('a');
  await turn();
  controller.abort(new Error('a'));
  await cancelled;
  void call('b', 250);
  await end('other');
  memory = other;
  void call('c', 800);
  await turn();
  expect(begun).toEqual(['b']);
});

test.each(['ends', 'is cancelled'])('the body of a call that waits counts until it %s', async (how) => {
  let users = 0;
  const req = new Request('http://localhost');
  all.bodies.set(req, {
    use: () => {
      users += 1;
      return () => {
        users -= 1;
      };
    },
  });
  const controller = new AbortController();
  void call('a', 1000);
  const caller = { mcpReq: { signal: controller.signal }, http: { req } };
  const waiting = memory.during(10, caller, async () => undefined).catch(() => undefined);
  await turn();
  expect(users).toBe(1);
  if (how === 'ends') await end('a');
  else controller.abort();
  await waiting;
  await turn();
  expect(users).toBe(0);
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
