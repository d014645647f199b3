// Lists of folders that a program has filled: the names that are kept, and the bytes that are counted.
import type { FolderEntry, Sandbox } from '@sbx/core';
import { expect, test } from 'vitest';
import { listFiles, namesBytesOf } from './walk.js';

/** `file_00000`, …; those below 3 are folders with as many names of their own. */
function namesOf(count: number): FolderEntry[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `file_${String(index).padStart(5, '0')}`;
    return { name, path: name, kind: index < 3 ? 'dir' : 'file' } as const;
  }).reverse();
}

function sandboxOf(count: number) {
  const returned: FolderEntry[][] = [];
  /** Names that were still there each time a size was read. */
  const kept: number[] = [];
  const sandbox = {
    readdir: async (path: string) => {
      if (path.split('/').length > 2) return [];
      returned.push(namesOf(count));
      return returned.at(-1);
    },
    lstat: async () => {
      kept.push(returned.at(-1)!.length);
      return { sizeBytes: 1 };
    },
  } as unknown as Sandbox;
  return { sandbox, kept };
}

test('of a folder with many names those after the last that is told are dropped at once', async () => {
  const { sandbox, kept } = sandboxOf(10_000);
  const { files, isCut } = await listFiles(sandbox, '.', { recursive: false, countMax: 5 });
  expect(files.map(({ path }) => path)).toEqual([0, 1, 2, 3, 4].map((index) => `file_0000${index}`));
  expect([isCut, kept]).toEqual([true, [6, 6, 6, 6, 6]]);
});

test('a list with just as many as it may have is not cut, and folders below count with it', async () => {
  const { sandbox, kept } = sandboxOf(4);
  expect(await listFiles(sandbox, '.', { recursive: false, countMax: 4 })).toMatchObject({ isCut: false });
  const below = await listFiles(sandbox, '.', { recursive: true, countMax: 6 });
  expect(below.files.map(({ path }) => path).slice(4)).toEqual([
    'file_00000/file_00000',
    'file_00000/file_00001',
  ]);
  expect([below.isCut, kept.slice(-2)]).toEqual([true, [3, 3]]);
});

test('what the names of a folder may take is counted by the files that a sandbox may have', () => {
  const KiB = 1024;
  expect(namesBytesOf({})).toBe(16_384 * KiB);
  expect(namesBytesOf({ diskFileCount: 65_536 })).toBe(65_536 * KiB);
  expect(namesBytesOf({ diskFileCount: null, memoryBytes: 512 })).toBe(512);
});
