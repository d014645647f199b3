// A root of packages instead of the host's /usr.
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Engine, type EngineOptions } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, settledFootprint } from '../helpers/leaks.js';

const CACHE = '/var/cache/sbx';
const trees = () => (existsSync(CACHE) ? readdirSync(CACHE) : []);

async function withRoot<T>(options: EngineOptions, use: (engine: Engine) => Promise<T>): Promise<T> {
  const before = await settledFootprint();
  const treesBefore = trees();
  const engine = await Engine.open({ parallelism: 1, ...options });
  const info = engine.info();
  try {
    return await use(engine);
  } finally {
    await engine.close();
    await expectNothingLeft(before, info);
    expect(trees()).toEqual(treesBefore);
  }
}

const sh = async (engine: Engine, script: string) =>
  (await engine.run('/bin/sh', ['-c', script], { env: { PATH: '/usr/bin:/bin' } })).stdout.text();

let home = '';
beforeAll(() => {
  home = mkdtempSync('/var/tmp/sbx-minimal-root-test-');
});
afterAll(() => rmSync(home, { recursive: true }));

describe('a minimal root', { timeout: 60_000 }, () => {
  test('has interpreter and C library, and nothing else of the host', async () => {
    await withRoot({ root: { packages: ['dash', 'python3'] } }, async (engine) => {
      const script =
        'import json, os, sys, zlib; print(json.dumps([os.getuid(), sys.version_info[0], json.__cached__]))';
      const run = await engine.run('python3', ['-c', script]);
      expect([run.stderr.text(), run.status]).toEqual(['', 'ok']);
      expect(JSON.parse(run.stdout.text())).toEqual([1000, 3, expect.stringContaining('.pyc')]);
      const walk = `
import os, stat
for folder, folders, files in os.walk('/', followlinks=False):
    if folder.startswith(('/proc', '/dev', '/sys')): continue
    for name in files:
        path = os.path.join(folder, name)
        if os.lstat(path).st_mode & 0o6000: print('set-id', path)
        if folder in ('/usr/bin', '/usr/sbin'): print(name)`;
      const names = (await engine.run('python3', ['-c', walk])).stdout.text().trim().split('\n').sort();
      expect(names.filter((name) => !/^(sh|dash|(py|pdb)[\w.]*)$/.test(name))).toEqual([]);
      expect(names).toEqual(expect.arrayContaining(['dash', 'python3', 'sh']));
      for (const hidden of [
        '/usr/share/doc',
        '/usr/share/man',
        '/usr/bin/gcc',
        '/usr/bin/ls',
        '/etc/ld.so.cache',
      ])
        expect([hidden, (await engine.run('sh', ['-c', `[ -e ${hidden} ]`])).exitCode]).toEqual([hidden, 1]);
      const written = await engine.run('sh', ['-c', 'echo x > /usr/bin/new']);
      expect(written.stderr.text()).toMatch(/Read-only file system|Permission denied/);
    });
  });

  test('says what can be done about a program that it does not have', async () => {
    await withRoot({ root: { packages: ['dash'] } }, async (engine) => {
      await expect(engine.run('ls')).rejects.toMatchObject({
        code: 'SBX_PROGRAM_NOT_FOUND',
        message: expect.stringContaining('minimal root does not: name its package'),
      });
      await expect(engine.run('no-such-program')).rejects.not.toMatchObject({
        message: expect.stringContaining('minimal root'),
      });
    });
  });

  test('has a program with what it is linked to, and no more of its package', async () => {
    await withRoot({ root: { packages: ['dash'], programs: ['/bin/ls'] } }, async (engine) => {
      expect((await sh(engine, 'ls /usr/bin')).trim().split('\n')).toEqual(['dash', 'ls', 'sh']);
    });
  });

  test('compiles C when the compiler is asked for', async () => {
    await withRoot({ root: { packages: ['dash', 'gcc', 'libc6-dev'] } }, async (engine) => {
      const files = { 'a.c': { text: '#include <stdio.h>\nint main(void) { puts("built"); }\n' } };
      const run = await engine.run('sh', ['-c', 'gcc -o a a.c && ./a && cc --version > /dev/null'], {
        files,
        limits: { wallTimeMs: 60_000 },
      });
      expect([run.stderr.text(), run.stdout.text()]).toEqual(['', 'built\n']);
    });
  });

  test('is shared by engines that ask for the same, and rows stand beside it', async () => {
    mkdirSync(join(home, 'chain/bin'), { recursive: true });
    writeFileSync(join(home, 'chain/bin/leave'), '#!/bin/sh\nexit $1\n', { mode: 0o755 });
    const options: EngineOptions = {
      root: { packages: ['dash'] },
      toolchains: [join(home, 'chain')],
      mounts: [
        { kind: 'bind', source: join(home, 'chain'), target: '/usr/share/test/home' },
        { kind: 'file', target: '/usr/share/test/text', text: 'told\n' },
        { kind: 'symlink', target: '/usr/share/test/link', to: 'text' },
        { kind: 'tmpfs', target: '/opt/scratch' },
      ],
    };
    await withRoot(options, async (engine) => {
      const count = trees().length;
      await withRoot(options, async (other) => {
        expect(trees()).toHaveLength(count);
        expect(await sh(other, 'cat() { read line < $1; echo $line; }; cat /usr/share/test/link')).toBe(
          'told\n',
        );
      });
      expect((await engine.run('leave', ['3'])).exitCode).toBe(3);
      expect(await sh(engine, 'cd /usr/share/test/home && echo *; echo x > /opt/scratch/a && echo ok')).toBe(
        'bin\nok\n',
      );
    });
  });

  test('refuses a program that is not what its hash says, and leaves nothing behind', async () => {
    const path = join(home, 'tool');
    writeFileSync(path, '#!/bin/sh\necho tool\n', { mode: 0o755 });
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    await withRoot({ root: { packages: ['dash'], programs: [{ path, sha256 }] } }, async (engine) => {
      expect((await engine.run(path)).stdout.text()).toBe('tool\n');
    });
    const before = trees();
    writeFileSync(path, '#!/bin/sh\necho evil\n', { mode: 0o755 });
    const refused = Engine.open({ root: { packages: ['dash'], programs: [{ path, sha256 }] } });
    await expect(refused).rejects.toMatchObject({
      code: 'SBX_INVALID_OPTIONS',
      message: expect.stringContaining(path),
    });
    expect(trees()).toEqual(before);
  });

  test('what a killed process has left is removed by the next', async () => {
    const namespace = /\d+/.exec(readlinkSync('/proc/self/ns/pid'))![0];
    // No such process: ids end before it.
    const left = join(CACHE, `root-0123456789ab-${namespace}-4194303-1-aaaaaa`);
    const ofOthers = join(CACHE, 'root-0123456789ab-1-4194303-1-aaaaaa');
    const ofUser = join(CACHE, `root-0123456789ab-${namespace}-4194303-1-bbbbbb`);
    for (const folder of [left, ofOthers, ofUser]) mkdirSync(join(folder, 'tree'), { recursive: true });
    if (process.getuid!() === 0) chownSync(ofUser, 65_534, 65_534); // theirs to remove
    const engine = await Engine.open({ root: { packages: ['dash'] }, parallelism: 1 });
    await engine.close();
    const isLeft = process.getuid!() === 0;
    expect([left, ofOthers, ofUser].map((folder) => existsSync(folder))).toEqual([false, true, isLeft]);
    for (const folder of [ofOthers, ofUser]) rmSync(folder, { recursive: true, force: true });
  });
});

test.each([
  ['tiny', /root must be one of 'host', 'minimal'/],
  [3, /root must be 'host', 'minimal' or a list of packages/],
  [{}, /root must name at least one package/],
  [{ package: ['dash'] }, /Did you mean packages/],
  [{ packages: ['../x'] }, /root\.packages\[0\] must be the name of a package/],
  [{ packages: ['no-such-package-here'] }, /root\.packages\[0\] must be an installed package/],
  [{ programs: ['a/b'] }, /root\.programs\[0\] must be an absolute path or the name/],
  [{ programs: ['no-such-program-here'] }, /root\.programs\[0\] must be a program of this system/],
  [{ programs: ['/usr/bin/passwd'] }, /root\.programs\[0\] must be readable for all and without set-user-id/],
  [{ programs: [{ path: '/bin/ls', sha256: 'x' }] }, /sha256 must be 64 hexadecimal digits/],
])('root: %j is refused', async (root, message) => {
  await expect(Engine.open({ root: root as never })).rejects.toThrow(message);
});

test('a row for a folder that a minimal root brings is refused', async () => {
  const refused = Engine.open({ root: 'minimal', mounts: [{ kind: 'bind', source: '/usr' }] });
  await expect(refused).rejects.toThrow(/mounts\[0\] must not stand beside a minimal root; got "\/usr"/);
});
