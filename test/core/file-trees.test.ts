// Files in and out of all that a sandbox can write to, by absolute path and through links; and what comes
// with them.
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CopyOut, DEFAULT_MOUNTS, type OneShotOptions } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KiB, MiB, t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { longestStand } from '../helpers/stand.js';

const mounts = [...DEFAULT_MOUNTS, { kind: 'tmpfs', target: '/data', mode: 0o777 } as const];
const sbx = useEngine({ mounts });
const shell = (script: string, options: OneShotOptions = {}) =>
  sbx.engine.run('/bin/sh', ['-c', script], options);

let folder: string;
let hostFile: string;
const large = Buffer.alloc(3 * MiB, 'x');
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'file-trees-test-'));
  hostFile = join(folder, 'large');
  writeFileSync(hostFile, large);
});
afterAll(() => rmSync(folder, { recursive: true }));

const places = ['/w/a/f', '/tmp/f', '/tmp/a/b/f', '/dev/shm/f', '/data/f'];

it('a folder of more names than a list has is refused, and keeps nobody waiting', async () => {
  await using sandbox = await sbx.engine.createSandbox({ limits: { diskFileCount: 80_000 } });
  const made = await sandbox.run(t('make-files'), ['.', '70000']);
  expect(made.stdout.text()).toBe('70000 0\n');
  const stand = longestStand(() =>
    expect(sandbox.readdir('.')).rejects.toMatchObject({ code: 'SBX_FILE_TOO_LARGE', operation: 'readdir' }),
  );
  expect(await stand).toBeLessThan(paced(300));
});

describe('names as deep as they can be keep nobody waiting', () => {
  const path = `${'d/'.repeat(2000)}f`;

  it('of files that are copied in', async () => {
    const stand = longestStand(async () => {
      const { status, files } = await shell('true', { files: { [path]: 'x' }, copyOut: [path] });
      expect([status, files[path]?.text()]).toEqual(['ok', 'x']);
    });
    expect(await stand).toBeLessThan(paced(300));
  });

  it('of folders and files that are made', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    expect(await longestStand(() => sandbox.mkdir(path, { recursive: true }))).toBeLessThan(paced(300));
    expect(await longestStand(() => sandbox.writeFile(`e/${path.slice(2)}`, 'x'))).toBeLessThan(paced(300));
  });

  it('folders on the way are made once, with their mode, also behind a link', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', 'mkdir -p -m 700 a/b && ln -s ../a a/l']);
    await sandbox.writeFile('a/l/b/c/d/f', 'x');
    const { stdout } = await sandbox.run('/usr/bin/stat', [
      '-c',
      '%a %n',
      'a/b',
      'a/b/c',
      'a/b/c/d',
      'a/b/c/d/f',
    ]);
    expect(stdout.text()).toBe('700 a/b\n755 a/b/c\n755 a/b/c/d\n644 a/b/c/d/f\n');
  });
});

describe('absolute paths', () => {
  it.each(places)('%s: in and out', async (path) => {
    const { status, stdout, files } = await shell(`cat ${path}; stat -c %a ${path}; echo out > ${path}.2`, {
      files: { [path]: 'in\n' },
      copyOut: [`${path}.2`],
    });
    expect([status, stdout.text(), files[`${path}.2`]?.text()]).toEqual(['ok', 'in\n644\n', 'out\n']);
  });

  it.each(places)('%s: as stdin and stdout', async (path) => {
    const options: OneShotOptions = {
      files: { [path]: 'in\n' },
      stdin: { file: path },
      stdout: { file: `${path}.2`, collect: { maxBytes: 10 } },
    };
    expect((await shell('cat', options)).stdout.text()).toBe('in\n');
  });

  it.each(places)('%s: in a session', async (path) => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.mkdir(`${path}.d/e`, { recursive: true });
    await sandbox.writeFile(`${path}.d/e/f`, 'x');
    await sandbox.rename(`${path}.d/e/f`, `${path}.d/g`);
    expect(await sandbox.readTextFile(`${path}.d/g`)).toBe('x');
    expect((await sandbox.readdir(`${path}.d`)).toSorted()).toEqual(['e', 'g']);
    expect((await sandbox.stat(`${path}.d`)).kind).toBe('dir');
    await sandbox.rm(`${path}.d`, { recursive: true });
    await expect(sandbox.stat(`${path}.d`)).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND' });
  });

  it('the trees themselves can be listed', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { '/tmp/x': '', '/data/y': '', z: '' } });
    expect([
      await sandbox.readdir('/tmp'),
      await sandbox.readdir('/data'),
      await sandbox.readdir('/w'),
    ]).toEqual([['x'], ['y'], ['z']]);
  });

  const outside = [
    '/etc/passwd',
    '/proc/self/environ',
    '/proc/1/environ',
    '/dev/null',
    '/usr/x',
    '/x',
    '/t/true',
  ];
  it.each(outside)('%s is in none of them', async (path) => {
    const refused = { code: 'SBX_FILE_OUTSIDE', path };
    await expect(shell('true', { files: { [path]: 'x' } })).rejects.toMatchObject({
      ...refused,
      operation: 'create',
    });
    await expect(shell('true', { stdout: { file: path } })).rejects.toMatchObject({
      ...refused,
      operation: 'write',
    });
    await expect(shell('true', { stdin: { file: path } })).rejects.toMatchObject({
      ...refused,
      operation: 'read',
    });
    const { status, fileErrors } = await shell('true', { copyOut: [path] });
    expect([status, fileErrors]).toMatchObject(['file-error', [{ path, code: 'outside' }]]);
  });
});

describe('links on the way', () => {
  const cases: [title: string, script: string, path: string][] = [
    ['beside it', 'mkdir real; echo x > real/f; ln -s real l', 'l/f'],
    ['absolute, inside', 'mkdir real; echo x > real/f; ln -s /w/real l', 'l/f'],
    ['to another tree', 'echo x > /tmp/f; ln -s /tmp l', 'l/f'],
    ['from there back', 'echo x > f; ln -s /w /tmp/l; ln -s /tmp/l l', 'l/f'],
    ['by way of a folder of the root', 'echo x > /dev/shm/f; ln -s ../dev l', 'l/shm/f'],
  ];
  it.each(cases)('%s', async (_, script, path) => {
    const { files, fileErrors } = await shell(script, { copyOut: [path] });
    expect([files[path]?.text(), fileErrors]).toEqual(['x\n', []]);
  });

  it('are followed for files in as well, and a file at the end is no link', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', 'ln -s /tmp l; ln -s /tmp/target /tmp/f']);
    await sandbox.run(t('true'), [], { files: { 'l/g': 'x' } });
    expect(await sandbox.readTextFile('/tmp/g')).toBe('x');
    const refused = { operation: 'create', path: 'l/f', errnoName: 'ELOOP' };
    await expect(sandbox.run(t('true'), [], { files: { 'l/f': 'x' } })).rejects.toMatchObject(refused);
  });
});

describe('links in', () => {
  it('through the deepest folders keep nobody waiting', async () => {
    const script = `
      import os
      for _ in range(2000):
          os.mkdir('d')
          os.chdir('d')
      deep = '/w/' + 'd/' * 2000
      for i in range(39):
          os.symlink(deep + f'l{i + 1}', f'l{i}')
      os.mkdir('l39')
      os.symlink(deep + 'l0', '/w/out')`;
    const args = ['-c', script.replaceAll('\n      ', '\n')];
    const startedAt = performance.now();
    const { fileErrors, usage } = await sbx.engine.run('python3', args, { copyOut: ['out/x'] });
    expect(performance.now() - startedAt - usage.wallTimeMs).toBeLessThan(paced(1000));
    expect(fileErrors).toMatchObject([{ code: 'not-regular', errno: 40 }]);
  });

  it('are made after the files, whatever they say', async () => {
    const { stdout } = await shell('cat l /tmp/m; readlink n', {
      files: { l: { symlink: 'f' }, '/tmp/m': { symlink: '/w/f' }, n: { symlink: '../../x' }, f: 'text\n' },
    });
    expect(stdout.text()).toBe('text\ntext\n../../x\n');
  });

  it.each<[string, OneShotOptions['files'], string]>([
    ['no folder', { 'no/l': { symlink: 'x' } }, 'ENOENT'],
    ['something there', { l: 'x', './l': { symlink: 'x' } }, 'EEXIST'],
    ['outside', { '/etc/l': { symlink: 'x' } }, 'EXDEV'],
  ])('%s', async (_, files, errnoName) => {
    await expect(shell('true', { files })).rejects.toMatchObject({ operation: 'symlink', errnoName });
  });
});

describe('files in from the host', () => {
  it('large ones, by name and by descriptor, from their start', async () => {
    const fd = openSync(hostFile, 'r');
    try {
      const files = { a: { hostFile }, '/tmp/b': { fd }, c: 'x' };
      const { stdout } = await shell('stat -c %s a /tmp/b c; cmp a /tmp/b', { files });
      expect(stdout.text()).toBe(`${3 * MiB}\n${3 * MiB}\n1\n`);
    } finally {
      closeSync(fd);
    }
  });

  it.each([100 * KiB, 3 * MiB])('%i bytes do not fit: write', async (size) => {
    const files = { f: { hostFile } };
    writeFileSync(hostFile, large.subarray(0, size));
    const run = shell('true', { files, limits: { diskBytes: 64 * KiB } });
    const refused = { operation: 'write', code: 'SBX_FILE_NO_SPACE', path: 'f', errnoName: 'ENOSPC' };
    await expect(run).rejects.toMatchObject(refused);
  });

  it.each([
    ['missing', 'nothing', 'SBX_FILE_NOT_FOUND'],
    ['a folder', '.', 'SBX_FILE_IS_FOLDER'],
  ])('%s: read, with both names', async (_, name, code) => {
    const path = join(folder, name);
    const run = shell('true', { files: { 'd/f': { hostFile: path } } });
    await expect(run).rejects.toMatchObject({
      operation: 'read',
      path: 'd/f',
      code,
      details: { hostPath: path },
    });
  });
});

describe('copyOut', () => {
  const taken = async (script: string, entry: CopyOut) => shell(script, { copyOut: [entry] });

  it('truncate: the first bytes, and the error with the size', async () => {
    const entry = { path: 'f', maxBytes: 3, truncate: true };
    const { files, fileErrors, status } = await taken('printf 123456 > f', entry);
    expect([files.f!.text(), files.f!.sizeBytes, status]).toEqual(['123', 6, 'file-error']);
    expect(fileErrors).toMatchObject([{ path: 'f', code: 'too-large', sizeBytes: 6 }]);
  });

  it('a terabyte, truncated, costs its first bytes', async () => {
    const entry = { path: 'f', maxBytes: 3, truncate: true };
    const limits = { fileBytes: null };
    const { files } = await shell('truncate -s 1T f', { copyOut: [entry], limits });
    expect([files.f!.bytes.byteLength, files.f!.sizeBytes]).toEqual([3, 2 ** 40]);
  });

  it('as a descriptor', async () => {
    const { files } = await taken('printf 123456 > f; chmod 751 f', { path: 'f', as: 'fd' });
    const { fd, bytes, sizeBytes, mode } = files.f!;
    try {
      expect([bytes.byteLength, sizeBytes, mode]).toEqual([0, 6, 0o751]);
      expect(readFileSync(fd!, 'utf8')).toBe('123456');
    } finally {
      closeSync(fd!);
    }
  });

  it.each<[string, string, object, string]>([
    ['too large', 'printf 123456 > f', { maxBytes: 3 }, 'too-large'],
    ['a folder', 'mkdir f', {}, 'not-regular'],
    ['a FIFO', 'mkfifo f', {}, 'not-regular'],
    ['a link', 'echo > g; ln -s g f', {}, 'not-regular'],
    ['missing', 'true', {}, 'not-found'],
  ])('as a descriptor: %s', async (_, script, more, code) => {
    const { files, fileErrors } = await taken(script, { path: 'f', as: 'fd', ...more });
    expect([files, fileErrors]).toMatchObject([{}, [{ code }]]);
  });

  it.each([
    ['nothing', 'true', true],
    ['a folder', 'mkdir f', false],
    ['a link', 'ln -s /etc/passwd f', false],
    ['a FIFO', 'mkfifo f', false],
  ])('optional hides what was not made, any hides %s', async (_, script, hidden) => {
    expect((await taken(script, { path: 'f', optional: true })).fileErrors.length).toBe(hidden ? 0 : 1);
    expect((await taken(script, { path: 'f', optional: 'any' })).fileErrors).toEqual([]);
  });

  it('any does not hide what is too large', async () => {
    const { fileErrors } = await taken('printf 123456 > f', { path: 'f', optional: 'any', maxBytes: 1 });
    expect(fileErrors).toMatchObject([{ code: 'too-large' }]);
  });

  it('an errno with each that has one', async () => {
    const copyOut = ['missing', 'below/file', 'folder'];
    const { fileErrors } = await shell('echo > below; mkdir folder', { copyOut });
    expect(fileErrors.map(({ errno }) => errno)).toEqual([2, 20, 21]);
  });
});
