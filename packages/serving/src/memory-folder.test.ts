import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { makeMemoryFolder } from './memory-folder.js';

let parent: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'parent-'));
});
afterEach(() => rmSync(parent, { recursive: true }));

it('takes away what a killed server left, and nothing else', async () => {
  const own = await makeMemoryFolder('gojudge', parent);
  const child = spawn('sleep', ['60']);
  // As a server with the child's number would have named them: one that has gone, one that lives.
  const start = (pid: number, ticks: string) =>
    basename(own).replace(/-\d+-\d+-\w+$/, `-${pid}-${ticks}-abc`);
  const gone = join(parent, start(child.pid!, '1'));
  mkdirSync(gone);
  writeFileSync(join(gone, 'file'), 'left');
  mkdirSync(join(parent, 'sbx-gojudge-other'));
  mkdirSync(join(parent, 'sbx-gojudge-1-1-1-elsewhere'));
  const second = await makeMemoryFolder('gojudge', parent);
  const kept = [own, second].map((path) => basename(path));
  expect(readdirSync(parent).sort()).toEqual(
    [...kept, 'sbx-gojudge-1-1-1-elsewhere', 'sbx-gojudge-other'].sort(),
  );
  child.kill();
  await once(child, 'exit');
  renameSync(own, join(parent, start(child.pid!, '2')));
  expect(readdirSync(parent)).toHaveLength(4);
  await makeMemoryFolder('gojudge', parent);
  expect(readdirSync(parent)).toHaveLength(4); // one gone, one new
});

it('leaves the folder of another user, whatever its name', async () => {
  if (process.getuid?.() !== 0) return;
  const own = await makeMemoryFolder('gojudge', parent);
  const left = join(parent, basename(own).replace(/-\d+-\d+-\w+$/, '-1-1-abc'));
  mkdirSync(left);
  chownSync(left, 65_534, 65_534);
  const again = await makeMemoryFolder('gojudge', parent);
  expect(readdirSync(parent).sort()).toEqual([own, left, again].map((path) => basename(path)).sort());
});

it('says which folder cannot be made', async () => {
  await expect(makeMemoryFolder('gojudge', join(parent, 'none'))).rejects.toMatchObject({
    code: 'SBX_FILE_NOT_FOUND',
    operation: 'mkdtemp',
    path: expect.stringContaining(join(parent, 'none', 'sbx-gojudge-')),
  });
});
