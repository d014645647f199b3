import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolders } from './folders.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'folders-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder is made with those above it, and may be there already', async () => {
  const path = join(folder, 'a/b/c');
  await makeFolders(path, 0o700);
  await makeFolders(path, 0o700);
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test('a file in its place is told', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  await expect(makeFolders(file, 0o700)).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeFolders(join(file, 'below'), 0o700)).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test('where the kernel makes no folders it ends with what the kernel says', async () => {
  await expect(makeFolders('/proc/none/at/all', 0o700)).rejects.toMatchObject({ code: 'ENOENT' });
});
