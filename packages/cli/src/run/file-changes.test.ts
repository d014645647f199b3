import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { FileChanges } from './file-changes.js';

let folder: string;
let changes: FileChanges;
const inSource = () => join(folder, 'src', 'main.py');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-changes-'));
  mkdirSync(join(folder, 'src'));
  writeFileSync(inSource(), 'print(1)');
  changes = new FileChanges([inSource()]);
});
afterEach(() => {
  changes.close();
  rmSync(folder, { recursive: true });
});

test.each<[string, () => void]>([
  ['written', () => writeFileSync(inSource(), 'print(22)')],
  ['removed', () => rmSync(inSource())],
  [
    'replaced',
    () => {
      writeFileSync(join(folder, 'new'), 'print(1)');
      renameSync(join(folder, 'new'), inSource());
    },
  ],
  [
    'behind what is no folder any more',
    () => {
      rmSync(join(folder, 'src'), { recursive: true });
      writeFileSync(join(folder, 'src'), '');
    },
  ],
])('a file that is %s has changed', async (_, change) => {
  const changed = changes.next();
  change();
  await expect.poll(() => changed.aborted).toBe(true);
});

test('other files of its folder are none of it', async () => {
  const changed = changes.next();
  writeFileSync(join(folder, 'src', 'other'), '');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(changed.aborted).toBe(false);
});
