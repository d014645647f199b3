/**
 * What lies in a folder of the host that programs can write to (read-only rows, private file systems, masks,
 * files of the table) stays what it is, for them and for every later sandbox and engine, whatever they rename
 * or link there.
 */
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_MOUNTS, type Engine, type EngineOptions, type MountRow } from '@sbx/core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { MiB, withEngine } from '../helpers/engine.js';

let project = '';
let outside = '';
beforeEach(() => {
  project = mkdtempSync(join(tmpdir(), 'project-'));
  outside = mkdtempSync(join(tmpdir(), 'outside-'));
  for (const path of ['git/hooks', 'conf', 'a/cache', 'free'])
    mkdirSync(join(project, path), { recursive: true });
  for (const path of ['', 'git', 'git/hooks', 'conf', 'a', 'a/cache', 'free'])
    chmodSync(join(project, path), 0o777);
  chmodSync(outside, 0o755);
  writeFileSync(join(project, 'git/hooks/pre-commit'), 'of the host');
  writeFileSync(join(project, 'conf/.env'), 'SECRET=1');
  writeFileSync(join(project, 'a/settings'), 'as before');
  writeFileSync(join(outside, 'pre-commit'), 'hidden from programs');
});
afterEach(() => {
  for (const folder of [project, outside]) rmSync(folder, { recursive: true, force: true });
});

async function sh(engine: Engine, script: string): Promise<string> {
  const result = await engine.run('/bin/sh', ['-c', script], { stderr: 'stdout' });
  return result.stdout.text();
}

/** Each script in a sandbox of its own, all of one engine. */
async function each(
  scripts: string[],
  rows: MountRow[] = [],
  options: EngineOptions = {},
): Promise<string[]> {
  const writable: MountRow = { kind: 'bind', source: project, target: '/project', writable: true };
  const said: string[] = [];
  await withEngine({ ...options, mounts: [...DEFAULT_MOUNTS, writable, ...rows] }, async (engine) => {
    for (const script of scripts) said.push(await sh(engine, script));
  });
  return said;
}

const hooks = (): MountRow => ({
  kind: 'bind',
  source: join(project, 'git/hooks'),
  target: '/project/git/hooks',
});
const MASKED = { maskPaths: ['/project/conf/.env'] };
const BUSY = 'Device or resource busy';

it('folders around a read-only row and a mask cannot be renamed, and all else can', async () => {
  const rename = `mv /project/git /project/git2; mv /project/conf /project/conf2; cat /project/conf/.env
    echo evil > /project/git/hooks/pre-commit; mv /project/free /project/free2 && echo fine
    mv /project/conf/.env /project/conf/env; rmdir /project/git/hooks`;
  const [said] = await each([rename], [hooks()], MASKED);
  expect(said!.split('\n').filter((line) => line.includes(BUSY))).toHaveLength(4);
  expect(said).toContain('Read-only file system');
  expect(said).toContain('fine');
  expect(said).not.toContain('SECRET');
  expect(readFileSync(join(project, 'git/hooks/pre-commit'), 'utf8')).toBe('of the host');
  // The next engine finds everything where it was.
  const look = 'cat /project/git/hooks/pre-commit; cat /project/conf/.env; ls /project';
  expect(await each([look], [hooks()], MASKED)).toEqual(['of the hosta\nconf\nfree2\ngit\n']);
});

it('what is moved into such a folder is moved between file systems', async () => {
  const script = `echo x > /project/free/x; ln /project/free/x /project/git/x
    mv /project/free/x /project/git/x; cat /project/git/x`;
  const [said] = await each([script], [hooks()]);
  expect(said).toContain('Invalid cross-device link');
  expect(said).toMatch(/x\n$/);
});

it('a link of a program’s makes a mask cover no other place', async () => {
  const link = 'ln -s /usr/share /project/free/secret; ln -s /project/free/loop /project/free/loop';
  const look = 'ls /usr/share | head -1 | wc -l; ls /project/free';
  const options = { maskPaths: ['/project/free/secret', '/project/free/loop/x'] };
  expect(await each([link, look, look], [], options)).toEqual(['', '1\nloop\nsecret\n', '1\nloop\nsecret\n']);
  // What was there before an engine opened may be the host's: it says so, and hides nothing else.
  await expect(each([look], [], options)).rejects.toMatchObject({
    code: 'SBX_SANDBOX_SETUP',
    message: expect.stringContaining('mask what it leads to'),
  });
  rmSync(join(project, 'free/secret'));
  symlinkSync('../conf/.env', join(project, 'free/secret'));
  expect(await each(['cat /project/conf/.env /project/free/secret'], [], options)).toEqual(['']);
});

it('a mask through links that only the host can make hides what they lead to', async () => {
  writeFileSync(join(outside, 'token'), 'SECRET=2');
  symlinkSync('token', join(outside, 'link'));
  symlinkSync('../shown/./link', join(outside, 'around'));
  const rows: MountRow[] = [
    { kind: 'bind', source: outside, target: '/shown' },
    { kind: 'symlink', target: '/to', to: '/shown' },
  ];
  const options = { maskPaths: ['/to/around'] };
  expect(await each(['cat /shown/token /to/link /shown/around; echo'], rows, options)).toEqual(['\n']);
});

it('a private file system in it stays where it is, for later sandboxes and engines, too', async () => {
  const rows: MountRow[] = [{ kind: 'tmpfs', target: '/project/a/cache', sizeBytes: MiB }];
  const rename = 'mv /project/a /project/b; ln -s b /project/a2; mv -T /project/a2 /project/a';
  const use = 'echo x > /project/a/cache/x && ls /project/a/cache';
  const [renamed, ...used] = await each([rename, use, use], rows);
  expect(renamed).toContain(BUSY);
  expect(used).toEqual(['x\n', 'x\n']);
  expect(await each([use], rows)).toEqual(['x\n']);
});

it('a source that lies in it is reached through no link', async () => {
  // By an engine without the row that would hold it.
  await each([`mv /project/git /project/git2; mkdir /project/git; ln -s ${outside} /project/git/hooks`]);
  await expect(each(['cat /project/git/hooks/pre-commit'], [hooks()])).rejects.toMatchObject({
    code: 'SBX_SANDBOX_SETUP',
    stage: 'mountRow',
  });
});

it('a pipe where a file of the table is to be is an error, and holds nobody up', async () => {
  const rows: MountRow[] = [{ kind: 'file', target: '/project/free/.npmrc', text: 'a=1\n' }];
  expect(await each(['cat /project/free/.npmrc'], rows)).toEqual(['a=1\n']);
  await each(['rm /project/free/.npmrc; mkfifo /project/free/.npmrc']);
  await expect(each(['true'], rows)).rejects.toMatchObject({
    code: 'SBX_SANDBOX_SETUP',
    message: expect.stringContaining('/project/free/.npmrc'),
  });
  const onto: MountRow = {
    kind: 'bind',
    source: join(project, 'a/settings'),
    target: '/project/free/.npmrc',
  };
  expect(await each(['cat /project/free/.npmrc'], [onto])).toEqual(['as before']);
});

it('a file of the table replaces a longer one that was there', async () => {
  writeFileSync(join(project, 'free/.npmrc'), 'longer than the other');
  chmodSync(join(project, 'free/.npmrc'), 0o666);
  const rows: MountRow[] = [{ kind: 'file', target: '/project/free/.npmrc', text: 'short' }];
  expect(await each(['cat /project/free/.npmrc'], rows)).toEqual(['short']);
});
