import { afterEach, beforeEach, expect, type MockInstance, test, vi } from 'vitest';

const EADDRINUSE = 98;
const EMFILE = 24;
const taken = new Map<number, string>();
let errno = 0;
let nextFd = 100;

vi.doMock('../native/native.js', async (original) => ({
  ...(await original<object>()),
  loadNative: () => ({
    native: {
      claimName: (name: string) => {
        if (errno > 0) return -errno;
        if ([...taken.values()].includes(name)) return -EADDRINUSE;
        taken.set(nextFd, name);
        return nextFd++;
      },
      closeFds: (fds: number[]) => {
        for (const fd of fds) taken.delete(fd);
      },
    },
  }),
}));
vi.resetModules();
const { claimBlock } = await import('./uid-block.js');

let random: MockInstance<() => number>;
beforeEach(() => {
  taken.clear();
  errno = 0;
  random = vi.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => vi.restoreAllMocks());

test('an engine has the names of all its users, until it gives them back', () => {
  const small = claimBlock(256);
  expect([small.first, [...taken.values()]]).toEqual([1_879_048_192, ['sbx-users-1879048192']]);
  small.release();
  small.release();
  expect(taken.size).toBe(0);
  claimBlock(4096);
  expect([...taken.values()].at(-1)).toBe(`sbx-users-${1_879_048_192 + 4 * 4096}`);
  expect(taken.size).toBe(5);
});

test('where another engine has part of a block, another one is looked for', () => {
  random.mockReturnValueOnce(0).mockReturnValueOnce(0).mockReturnValue(0.5);
  const [large, other] = [claimBlock(4096), claimBlock(256)];
  expect(other.first).toBeGreaterThan(large.first + 5 * 4096);
  expect(taken.size).toBe(6);
});

test('the last block ends with the last id', () => {
  random.mockReturnValue(1 - Number.EPSILON);
  const { first } = claimBlock(65_536);
  expect(first + 65 * 4096).toBeLessThanOrEqual(2_147_483_647);
});

test('where all are taken, and where there is no descriptor left, it is said', () => {
  claimBlock(256);
  expect(() => claimBlock(256)).toThrow(/could not claim user ids/);
  errno = EMFILE;
  expect(() => claimBlock(256)).toThrow(expect.objectContaining({ code: 'SBX_OVERLOADED' }));
  expect(taken.size).toBe(1);
});
