import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { copyIn } from './copy.js';
import type { WorkFolder } from './trees.js';

let nowMs = 0;
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => nowMs));
afterEach(() => void vi.restoreAllMocks());

/** A folder whose system calls take a millisecond each, and what was made in it. */
function slowFolder(checkOpen: () => void = () => undefined) {
  const made: string[] = [];
  const spend = (name: string) => {
    nowMs += 1;
    made.push(name);
    return 0;
  };
  const native = {
    openBeneath: () => 0,
    closeFds: () => undefined,
    makeSymlink: ({ name }: { name: string }) => spend(name),
    createFile: ({ path }: { path: string }) => spend(path),
    fillFile: () => 0,
  };
  const trees = [{ fd: 0, target: '/w' }];
  const folder = {
    native,
    trees,
    owner: -1,
    folderMode: 0o755,
    checkOpen,
    isLiving: () => false,
  } as unknown as WorkFolder;
  return { folder, made };
}

const many = Object.fromEntries(
  Array.from({ length: 100 }, (_, index) => [`${index}`, index % 2 === 0 ? { symlink: 'x' } : 'text']),
);

test('many files and links leave others their turns, and links come last', async () => {
  const { folder, made } = slowFolder();
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  await copyIn(folder, many);
  isDone = true;
  expect(turns).toBeGreaterThan(5);
  expect(made).toHaveLength(100);
  expect(made.findIndex((name) => Number(name) % 2 === 0)).toBe(50);
});

test('few are there at once', () => {
  const { folder, made } = slowFolder();
  expect(copyIn(folder, { a: 'text', b: { symlink: 'a' } })).toBeUndefined();
  expect(made).toEqual(['a', 'b']);
});

test('a sandbox that was closed meanwhile gets no more', async () => {
  const { folder, made } = slowFolder(() => {
    throw new Error('closed');
  });
  await expect(copyIn(folder, many)).rejects.toThrow('closed');
  expect(made.length).toBeLessThan(50);
});
