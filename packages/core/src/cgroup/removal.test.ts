import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { removeFolder, removeTree } from './removal.js';

const top = mkdtempSync(join(tmpdir(), 'sbx-removal-'));
afterAll(() => rmSync(top, { recursive: true }));

/** A group with groups of programs in it; a file keeps a folder, as a living process keeps a group. */
function groupWith(name: string, below: string[]): string {
  const group = join(top, name);
  for (const path of below) mkdirSync(join(group, path), { recursive: true });
  return group;
}

describe('removal of a group', () => {
  it('takes groups along that were left in it', async () => {
    const group = groupWith('a', ['main', 'p1', 'p2/main']);
    expect(await removeFolder(group)).toBe(true);
    expect(existsSync(group)).toBe(false);
  });

  it('of what is gone is done', async () => expect(await removeFolder(join(top, 'none'))).toBe(true));

  it('waits for one that is busy', async () => {
    const group = groupWith('b', ['p1']);
    const living = join(group, 'p1', 'process');
    writeFileSync(living, '');
    setTimeout(() => rmSync(living), 100);
    expect(await removeFolder(group)).toBe(true);
  });

  it('leaves one that stays busy, and takes what is not', async () => {
    const group = groupWith('c', ['p1', 'p2']);
    writeFileSync(join(group, 'p1', 'process'), '');
    await removeTree(group);
    expect([existsSync(join(group, 'p1')), existsSync(join(group, 'p2'))]).toEqual([true, false]);
    expect(await removeFolder(group)).toBe(false);
  });
});
