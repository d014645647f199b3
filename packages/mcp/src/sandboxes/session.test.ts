// Which sandbox a call without an id has.
import type { Sandbox } from '@sbx/core';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SandboxPool } from './pool.js';
import { SandboxSession } from './session.js';
import { Workspace } from './workspace.js';

const { signal } = new AbortController();
const make = vi.fn(async () => {
  const sandbox = { close: async () => undefined } as unknown as Sandbox;
  const sizes = { memoryBytes: 1, outputBytes: 1, namesBytes: 1, unreadBytes: 1 };
  return new Workspace({ sandbox, ...sizes, idleMs: 1000, onClosed: () => undefined });
});
let session: SandboxSession;

beforeEach(() => {
  make.mockClear();
  const pool = { create: make } as unknown as SandboxPool;
  session = new SandboxSession(pool, { hasDefault: true, sandboxCountMax: 5, idleMs: 1000 });
});

const call = () => session.use(undefined, signal, async ({ id, note }) => ({ id, note }));

test('calls that come together have the same, the first ones and those after it was closed', async () => {
  const first = await Promise.all([call(), call(), call()]);
  expect(new Set(first.map(({ id }) => id)).size).toBe(1);
  await session.find(first[0]!.id!).close();
  const second = await Promise.all([call(), call(), call()]);
  expect(new Set(second.map(({ id }) => id)).size).toBe(1);
  expect(second.filter(({ note }) => note !== null)).toHaveLength(1);
  expect(make).toHaveBeenCalledTimes(2);
});

test('after one that could not be made the next call has another', async () => {
  make.mockRejectedValueOnce(new Error('no room'));
  await expect(Promise.all([call(), call()])).rejects.toThrow('no room');
  expect((await call()).id).toEqual(expect.any(String));
});
