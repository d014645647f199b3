import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ENOTDIR } from '../native/errno.js';
import type { Native } from '../native/native.js';
import type { WorkFolder } from './trees.js';
import { type WalkEntry, walkTree } from './walk.js';

it('tells of a folder whose names cannot be read any more, as of one that cannot be opened', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'walk-test-'));
  try {
    // What is opened here cannot be read as a folder, as one cannot that was shut meanwhile.
    const path = join(folder, 'file');
    writeFileSync(path, '');
    const native = {
      openBeneath: () => openSync(path, 'r'),
      closeFds: (fds: number[]) => fds.map(closeSync),
    };
    const calm = { checkOpen: () => {}, isLiving: () => false, lastCall: null };
    const work = { native: native as unknown as Native, trees: [], owner: -1, ...calm };
    const found: WalkEntry[] = [];
    const start = { dir: 0, path: '.', recursive: true };
    for await (const entry of walkTree(work as unknown as WorkFolder, start)) found.push(entry);
    expect(found).toEqual([{ path: '', errno: ENOTDIR }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
