import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Unfinished } from './unfinished.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-unfinished-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

test('two servers never have a path in common', () => {
  const [first, second] = [new Unfinished(folder), new Unfinished(folder)];
  const paths = [first.nextPath(), first.nextPath(), second.nextPath(), second.nextPath()];
  expect(new Set(paths).size).toBe(4);
  for (const path of paths) expect(path.startsWith(join(folder, 'tmp-'))).toBe(true);
});

test('what was not written to for long goes, and nothing else', async () => {
  const unfinished = new Unfinished(folder);
  const fresh = unfinished.nextPath();
  const left = unfinished.nextPath();
  const names = join(folder, 'names.jsonl');
  for (const path of [fresh, left, names]) writeFileSync(path, '');
  const longAgo = Date.now() / 1000 - 301;
  for (const path of [left, names]) utimesSync(path, longAgo, longAgo);
  const recent = Date.now() / 1000 - 200;
  utimesSync(fresh, recent, recent);
  await unfinished.removeLeft();
  expect(readdirSync(folder).sort()).toEqual(['names.jsonl', basename(fresh)].sort());
});
