// Adding to files of a session, and copies of them within it.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FileContents, Sandbox } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KiB, MiB, useEngine } from '../helpers/engine.js';

const sbx = useEngine();

let folder: string;
let hostFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'append-test-'));
  hostFile = join(folder, 'host');
  writeFileSync(hostFile, 'of the host');
});
afterAll(() => rmSync(folder, { recursive: true }));

async function withSandbox(use: (sandbox: Sandbox) => Promise<void>, more: object = {}): Promise<void> {
  await using sandbox = await sbx.engine.createSandbox({ files: { f: 'old' }, ...more });
  await use(sandbox);
}
const modeOf = async (sandbox: Sandbox, path: string) => (await sandbox.stat(path)).mode;
const shell = async (sandbox: Sandbox, script: string) =>
  (await sandbox.run('/bin/sh', ['-c', script])).orThrow().stdout.text();

describe('appendFile', () => {
  const data: [string, () => FileContents, string][] = [
    ['text', () => ' new', ' new'],
    ['bytes', () => Uint8Array.of(0x61), 'a'],
    ['content', () => ({ text: 'text' }), 'text'],
    ['a file of the host', () => ({ hostFile }), 'of the host'],
    ['a stream', () => Readable.from(['a', Buffer.from('b')]), 'ab'],
    ['nothing', () => '', ''],
  ];
  it.each(data)('%s', async (_, make, added) => {
    await withSandbox(async (sandbox) => {
      await sandbox.appendFile('f', make());
      expect(await sandbox.readTextFile('f')).toBe(`old${added}`);
      await sandbox.appendFile('d/e/g', make());
      await sandbox.appendFile('d/e/g', make());
      expect(await sandbox.readTextFile('d/e/g')).toBe(added + added);
    });
  });

  it('a descriptor is read from its start, and stays where it was', async () => {
    const fd = openSync(hostFile, 'r');
    await withSandbox(async (sandbox) => {
      await sandbox.appendFile('f', { fd });
      await sandbox.appendFile('f', { fd });
      expect(await sandbox.readTextFile('f')).toBe('oldof the hostof the host');
    });
    expect(readFileSync(fd, 'utf8')).toBe('of the host');
    closeSync(fd);
  });

  it('the mode is of a new file, and of another stays', async () => {
    await withSandbox(async (sandbox) => {
      await sandbox.chmod('f', 0o600);
      await sandbox.appendFile('f', 'x', { mode: 0o755 });
      await sandbox.appendFile('new', 'x', { mode: 0o755 });
      await sandbox.appendFile('plain', 'x');
      const modes = ['f', 'new', 'plain'].map((path) => modeOf(sandbox, path));
      expect(await Promise.all(modes)).toEqual([0o600, 0o755, 0o644]);
    });
  });

  it('what a program adds at the same time is kept', async () => {
    await withSandbox(async (sandbox) => {
      const adding = sandbox.run('/bin/sh', ['-c', 'for i in $(seq 500); do echo program >> log; done']);
      for (let i = 0; i < 200; i += 1) await sandbox.appendFile('log', 'host\n');
      expect((await adding).status).toBe('ok');
      const lines = (await sandbox.readTextFile('log')).trimEnd().split('\n');
      expect([lines.length, new Set(lines)]).toEqual([700, new Set(['program', 'host'])]);
    });
  });

  it('links inside are followed, and none leads out', async () => {
    await withSandbox(async (sandbox) => {
      await shell(
        sandbox,
        'ln -s f in; ln -s /etc/passwd out; ln -s /tmp/none to-none; mkfifo pipe; mkdir d',
      );
      await sandbox.appendFile('in', '+');
      expect(await sandbox.readTextFile('f')).toBe('old+');
      for (const [path, code] of [
        ['out', 'SBX_FILE_OUTSIDE'],
        ['/etc/passwd', 'SBX_FILE_OUTSIDE'],
        ['pipe', 'SBX_FILE_NOT_REGULAR'],
        ['d', 'SBX_FILE_IS_FOLDER'],
      ])
        await expect(sandbox.appendFile(path!, 'x')).rejects.toMatchObject({ code, operation: 'appendFile' });
    });
  });

  it('stops at the limit of the disk', async () => {
    await withSandbox(
      async (sandbox) => {
        const full = { code: 'SBX_FILE_NO_SPACE', path: 'f', operation: 'appendFile' };
        await expect(sandbox.appendFile('f', Buffer.alloc(MiB))).rejects.toMatchObject(full);
      },
      { limits: { diskBytes: 64 * KiB } },
    );
  });

  it.each<[string, unknown, unknown, string]>([
    ['a link', { symlink: 'f' }, {}, 'data.symlink'],
    ['a value', { a: 1 }, {}, 'data.a'],
    ['an encoding', 'x', 'latin1', 'options'],
    ['an unknown option', 'x', { flag: 'a' }, 'options.flag'],
    ['a mode without 0o', 'x', { mode: 644 }, 'options.mode'],
  ])('%s is refused', async (_, wrong, options, field) => {
    await withSandbox(async (sandbox) => {
      const call = sandbox.appendFile('f', wrong as string, options as object);
      await expect(call).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', field });
    });
  });
});

describe('copyFile', () => {
  it.each(['g', 'd/e/g', '/tmp/g', '/dev/shm/d/g'])('to %s', async (to) => {
    await withSandbox(async (sandbox) => {
      await sandbox.chmod('f', 0o750);
      await sandbox.copyFile('f', to);
      expect([await sandbox.readTextFile(to), await modeOf(sandbox, to)]).toEqual(['old', 0o750]);
      await sandbox.copyFile('f', to, { mode: 0o600 });
      expect([await sandbox.readTextFile(to), await modeOf(sandbox, to)]).toEqual(['old', 0o600]);
      await shell(sandbox, `echo more >> ${to}`); // it is the programs' own
    });
  });

  it('replaces what is longer, and what is executed next is not open', async () => {
    await withSandbox(async (sandbox) => {
      await sandbox.writeFile('program', { text: `#!/bin/sh\necho ran # ${'x'.repeat(300 * KiB)}` });
      await sandbox.copyFile('program', 'copy', { mode: 0o755 });
      expect((await sandbox.run('./copy')).stdout.text()).toBe('ran\n');
      await sandbox.copyFile('f', 'copy');
      expect(await sandbox.readTextFile('copy')).toBe('old');
    });
  });

  it('a terabyte of nothing is copied as such, with what is in it', async () => {
    const limits = { diskBytes: MiB, fileBytes: null };
    await withSandbox(
      async (sandbox) => {
        const far = 300 * 2 ** 30;
        await sandbox.run(
          'python3',
          [
            '-c',
            `
f = open('f', 'wb')
f.truncate(2 ** 40)
for at in (0, ${far}, 2 ** 40 - 3):
    f.seek(at)
    f.write(b'abc')`,
          ],
          { limits: { fileBytes: null } },
        );
        await sandbox.copyFile('f', 'g');
        const check = `
import os
f, s = open('g', 'rb'), os.stat('g')
read = lambda at: os.pread(f.fileno(), 3, at).decode()
print(s.st_size, s.st_blocks * 512, read(0), read(${far}), read(2 ** 40 - 3), os.pread(f.fileno(), 1, ${far} + 9))`;
        const { stdout } = await sandbox.run('python3', ['-c', check]);
        expect(stdout.text()).toBe(`${2 ** 40} ${3 * 4096} abc abc abc b'\\x00'\n`);
      },
      { limits },
    );
  });

  it('a file is its own copy, by whatever name', async () => {
    await withSandbox(async (sandbox) => {
      await shell(sandbox, 'ln f hard; ln -s f soft');
      for (const to of ['f', './f', '/w/f', 'hard', 'soft']) await sandbox.copyFile('f', to);
      expect(await sandbox.readTextFile('f')).toBe('old');
    });
  });

  it('stops at the limit of the disk', async () => {
    await withSandbox(
      async (sandbox) => {
        await sandbox.writeFile('f', Buffer.alloc(40 * KiB, 'x'));
        const full = { code: 'SBX_FILE_NO_SPACE', path: 'g', operation: 'copyFile' };
        await expect(sandbox.copyFile('f', 'g')).rejects.toMatchObject(full);
      },
      { limits: { diskBytes: 64 * KiB } },
    );
  });

  it.each([
    ['missing', 'g', 'SBX_FILE_NOT_FOUND', 'missing'],
    ['d', 'g', 'SBX_FILE_IS_FOLDER', 'd'],
    ['f', 'd', 'SBX_FILE_IS_FOLDER', 'd'],
    ['pipe', 'g', 'SBX_FILE_NOT_REGULAR', 'pipe'],
    ['f', 'pipe', 'SBX_FILE_NOT_REGULAR', 'pipe'],
    ['/etc/passwd', 'g', 'SBX_FILE_OUTSIDE', '/etc/passwd'],
    ['out', 'g', 'SBX_FILE_OUTSIDE', 'out'],
    ['f', 'out', 'SBX_FILE_OUTSIDE', 'out'],
    ['f', 'f/g', 'SBX_FILE_NOT_FOLDER', 'f/g'],
  ])('%s to %s is refused', async (from, to, code, path) => {
    await withSandbox(async (sandbox) => {
      await shell(sandbox, 'mkdir d; mkfifo pipe; ln -s /etc/passwd out');
      const refused = { code, path, operation: 'copyFile' };
      await expect(sandbox.copyFile(from, to)).rejects.toMatchObject(refused);
      expect(await sandbox.exists('g')).toBe(false);
    });
  });

  it.each<[string, unknown[], string]>([
    ['no source', [undefined, 'g'], 'from'],
    ['a way out', ['f', '../g'], 'to'],
    ['a folder by its name', ['f', 'd/'], 'to'],
    ['a number of node:fs', ['f', 'g', 1], 'options'],
    ['an unknown option', ['f', 'g', { recursive: true }], 'options.recursive'],
  ])('%s is refused', async (_, args, field) => {
    await withSandbox(async (sandbox) => {
      const call = sandbox.copyFile(...(args as [string, string]));
      await expect(call).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', field });
    });
  });
});
