import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { lstatAt, statAt } from './look-at.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-look-'));
  writeFileSync(join(folder, 'file'), '');
  for (const [to, name] of [
    ['file', 'link'],
    ['nothing', 'broken'],
    ['circle', 'circle'],
  ] as const)
    symlinkSync(to, join(folder, name));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  ['file', 'file', 'file'],
  ['link', 'link', 'file'],
  ['broken', 'link', null],
  ['circle', 'link', null],
  ['missing', null, null],
  ['file/below', null, null],
  ['circle/below', null, null],
])('%s is a %s, and behind links a %s', (name, itself, behind) => {
  const kind = (status: ReturnType<typeof statAt>) =>
    status === null ? null : status.isSymbolicLink() ? 'link' : 'file';
  expect([kind(lstatAt(join(folder, name))), kind(statAt(join(folder, name)))]).toEqual([itself, behind]);
});

it('another error is one', () => {
  for (const look of [statAt, lstatAt]) expect(() => look('x'.repeat(256))).toThrow(/ENAMETOOLONG/);
});
