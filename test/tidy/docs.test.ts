// The docs say what the sources say, and point at what exists.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { listFiles, readText, root } from './sources.js';

test('pages made from tables are up to date', () => {
  const { status, stderr } = spawnSync(process.execPath, ['scripts/gen-docs.mjs'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(status).toBe(0);
});

test('links between pages lead somewhere', () => {
  const broken = listFiles(/\.md$/).flatMap((file) =>
    [...readText(file).matchAll(/\]\((?!\w+:|#)([^)#\s]+)[^)]*\)/g)]
      .map((match) => match[1]!)
      .filter((link) => !existsSync(join(root, dirname(file), link)))
      .map((link) => `${file}: ${link}`),
  );
  expect(broken).toEqual([]);
});
