// Files in, out and inside a session; and that no name and no link leads anywhere else.
import {
  closeSync,
  createReadStream,
  existsSync,
  mkdtempSync,
  openSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { CopyOut, FileError, OneShotOptions, Sandbox } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MiB, t, useEngine } from '../helpers/engine.js';
import { timed } from '../helpers/wait.js';
import { buildPrograms } from '../programs/build.mjs';

const sbx = useEngine();

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'files-test-'));
  writeFileSync(join(folder, 'host.txt'), 'of the host');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Few for a count, and yet megabytes of paths. */
const LONG_PATHS = `
import os
os.makedirs('/'.join(['d' * 250] * 8))
os.chdir('/'.join(['d' * 250] * 8))
for i in range(9000): open(str(i), 'w').close()
`;

const shell = (script: string, options: OneShotOptions = {}) =>
  sbx.engine.run('/bin/sh', ['-c', script], options);

describe('in a session', () => {
  it('what is written is read, by us and by programs', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.writeFile('a.txt', 'text');
    await sandbox.writeFile('b.bin', Uint8Array.of(0, 255, 10));
    await sandbox.writeFiles({
      'd/e/f.txt': 'deep',
      'g.sh': { text: '#!/bin/sh\necho ran\n', executable: true },
    });
    expect(await sandbox.readTextFile('a.txt')).toBe('text');
    expect([...(await sandbox.readFile('b.bin'))]).toEqual([0, 255, 10]);
    expect((await sandbox.run('/bin/cat', ['d/e/f.txt'])).stdout.text()).toBe('deep');
    expect((await sandbox.run('./g.sh')).stdout.text()).toBe('ran\n');
  });

  it('what a program writes is read by us', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', 'mkdir p; printf abc > p/q']);
    expect(await sandbox.readTextFile('p/q')).toBe('abc');
    await sandbox.run('/bin/sh', ['-c', 'printf d >> p/q']);
    expect(await sandbox.readTextFile('/w/p/q')).toBe('abcd');
  });

  it('a program may change what we wrote', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { 'a.txt': 'old', 'd/b.txt': 'x' } });
    const result = await sandbox.run('/bin/sh', [
      '-c',
      'echo new > a.txt && rm d/b.txt && touch d/c && rmdir -p x 2>&1 || true',
    ]);
    expect(result.stderr.text()).toBe('');
    expect(await sandbox.readTextFile('a.txt')).toBe('new\n');
  });

  it('folders: make, list, rename, remove', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.mkdir('a/b/c', { recursive: true });
    await sandbox.writeFile('a/x', '1');
    expect((await sandbox.readdir('a')).toSorted()).toEqual(['b', 'x']);
    const kinds = await sandbox.readdir('a', { withFileTypes: true });
    expect(kinds.map((entry) => [entry.name, entry.kind]).toSorted()).toEqual([
      ['b', 'dir'],
      ['x', 'file'],
    ]);
    await sandbox.rename('a/x', 'a/b/y');
    expect((await sandbox.stat('a/b/y')).sizeBytes).toBe(1);
    await expect(sandbox.rm('a')).rejects.toMatchObject({ code: expect.stringMatching(/^SBX_FILE_/) });
    await sandbox.rm('a', { recursive: true });
    await sandbox.rm('a', { force: true });
    await expect(sandbox.stat('a')).rejects.toMatchObject({ code: 'SBX_FILE_NOT_FOUND' });
  });

  it('lists what is below, as node:fs does, and follows no link', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { 'a/b/c': '', 'a/x': '', y: '' } });
    await sandbox.symlink('..', 'a/b/up');
    await sandbox.symlink('/tmp', 'away');
    await sandbox.writeFile('/tmp/hidden', '');
    const all = ['a', 'a/b', 'a/b/c', 'a/b/up', 'a/x', 'away', 'y'];
    expect((await sandbox.readdir('.', { recursive: true })).toSorted()).toEqual(all);
    const entries = await sandbox.readdir('a', { recursive: true, withFileTypes: true });
    expect(entries.map(({ name, path, kind }) => [path, name, kind]).toSorted()).toEqual([
      ['b', 'b', 'dir'],
      ['b/c', 'c', 'file'],
      ['b/up', 'up', 'symlink'],
      ['x', 'x', 'file'],
    ]);
    await expect(sandbox.readdir('y', { recursive: true })).rejects.toMatchObject({
      code: 'SBX_FILE_NOT_FOLDER',
    });
  });

  it('a list of all below has a bound, and names that are no text', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', "mkdir d; : > d/$(printf '\\377')"]);
    expect(await sandbox.readdir('.', { recursive: true })).toEqual(['d', 'd/\ufffd']);
    const limits = { cpuTimeMs: 20_000, wallTimeMs: 20_000 };
    (await sandbox.run('python3', ['-c', LONG_PATHS], { limits })).orThrow();
    await expect(sandbox.readdir('.', { recursive: true })).rejects.toMatchObject({
      code: 'SBX_FILE_TOO_LARGE',
    });
  });

  it('a folder that is there is fine with `recursive`, and nothing else is', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.mkdir('a/b', { recursive: true });
    for (const there of ['.', '/tmp', '/w', 'a/b/', 'a'])
      await expect(sandbox.mkdir(there, { recursive: true })).resolves.toBeUndefined();
    await sandbox.symlink('a', 'to-a');
    await sandbox.symlink('nowhere', 'to-nothing');
    await sandbox.mkdir('to-a', { recursive: true });
    await sandbox.mkdir('to-a/x/y', { recursive: true });
    expect(await sandbox.readdir('a/x')).toEqual(['y']);
    await sandbox.writeFile('plain', '');
    for (const path of ['plain', 'to-nothing'])
      await expect(sandbox.mkdir(path, { recursive: true })).rejects.toMatchObject({
        code: 'SBX_FILE_EXISTS',
        path,
      });
    await expect(sandbox.mkdir('plain/x', { recursive: true })).rejects.toMatchObject({
      code: 'SBX_FILE_NOT_FOLDER',
    });
  });

  it('a link says a path', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    for (const target of [5, '', 'a\0b', 'x'.repeat(4096)])
      await expect(sandbox.symlink(target as string, 'l')).rejects.toMatchObject({ field: 'target' });
    expect(await sandbox.readdir('.')).toEqual([]);
  });

  it('a stream that is given up without an error has none', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    for (const written of ['', 'some']) {
      const stream = sandbox.createWriteStream('given-up');
      stream.write(written);
      const errors: unknown[] = [];
      stream.on('error', (error) => errors.push(error));
      await new Promise((resolve) => stream.destroy().once('close', resolve));
      expect(errors).toEqual([]);
    }
  });

  it('modes and links', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.writeFile('f', 'x', { mode: 0o600 });
    await sandbox.chmod('f', 0o640);
    expect((await sandbox.stat('f')).mode & 0o777).toBe(0o640);
    await sandbox.symlink('f', 'l');
    expect(await sandbox.readlink('l')).toBe('f');
    expect((await sandbox.lstat('l')).kind).toBe('symlink');
  });

  it('streams carry 20 MiB both ways', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const chunk = Buffer.alloc(MiB, 'x');
    async function* twenty() {
      for (let i = 0; i < 20; i++) yield chunk;
    }
    await sandbox.writeFile('large', twenty());
    let read = 0;
    for await (const part of sandbox.createReadStream('large')) read += (part as Uint8Array).byteLength;
    expect(read).toBe(20 * MiB);
  });

  /** Path, and the code of reading and of writing it as a stream; `null`: it works. */
  const odd: [what: string, path: string, reading: string, writing: string | null][] = [
    ['a folder', 'folder', 'SBX_FILE_IS_FOLDER', 'SBX_FILE_IS_FOLDER'],
    ['a fifo', 'fifo', 'SBX_FILE_NOT_REGULAR', 'SBX_FILE_NOT_REGULAR'],
    ['a fifo that a program has open', 'open', 'SBX_FILE_NOT_REGULAR', 'SBX_FILE_NOT_REGULAR'],
    ['a link to one', 'link', 'SBX_FILE_NOT_REGULAR', 'SBX_FILE_NOT_REGULAR'],
    ['nothing', 'missing', 'SBX_FILE_NOT_FOUND', null],
    ['something below a file', 'file/x', 'SBX_FILE_NOT_FOLDER', 'SBX_FILE_NOT_FOLDER'],
  ];
  it.each(odd)('a stream from and to %s', async (_, path, reading, writing) => {
    await using sandbox = await sbx.engine.createSandbox({ files: { file: 'x' } });
    await sandbox.mkdir('folder');
    await sandbox.symlink('fifo', 'link');
    await sandbox.run('/usr/bin/mkfifo', ['fifo', 'open']);
    const holder = await sandbox.spawn('/bin/sh', ['-c', 'exec 3<>open; echo; exec sleep 60'], {
      stdout: 'pipe',
    });
    for await (const _line of holder.stdout!) break;
    const message = expect.stringContaining(JSON.stringify(path));
    const read = sandbox.createReadStream(path).toArray();
    await expect(read).rejects.toMatchObject({ code: reading, operation: 'readFile', path, message });
    const write = () => finished(sandbox.createWriteStream(path).end('x'));
    if (writing === null) await write();
    else
      await expect(write()).rejects.toMatchObject({ code: writing, operation: 'writeFile', path, message });
    holder.kill();
  });

  it('what a source throws is its own error, also one of another file, and a chunk that is no bytes is refused', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const missing = sandbox.writeFile('f', createReadStream('/nothing/here'));
    await expect(missing).rejects.toMatchObject({ code: 'ENOENT', path: '/nothing/here' });
    const numbers = sandbox.writeFile('f', Readable.from([5]) as never);
    await expect(numbers).rejects.toMatchObject({ code: 'SBX_INVALID_OPTIONS', field: 'data' });
  });

  it('reading is bounded when asked', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { f: 'abcdef' } });
    await expect(sandbox.readFile('f', { maxBytes: 5 })).rejects.toMatchObject({
      code: 'SBX_FILE_TOO_LARGE',
    });
    expect((await sandbox.readFile('f', { maxBytes: 6 })).byteLength).toBe(6);
  });

  it('a wrong option or content is refused, not left aside', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { f: 'abcdef' } });
    const refused = { code: 'SBX_INVALID_OPTIONS' };
    await expect(sandbox.readFile('f', 'utf8' as never)).rejects.toMatchObject(refused);
    await expect(sandbox.readdir('.', { recursive: 1 } as never)).rejects.toMatchObject(refused);
    await expect(sandbox.rm('f', { recurse: true } as never)).rejects.toMatchObject(refused);
    await expect(sandbox.chmod('f', 755)).rejects.toMatchObject(refused);
    await expect(sandbox.writeFile('f', 5 as never)).rejects.toMatchObject({ ...refused, field: 'data' });
    await expect(sandbox.writeFiles({ f: 5 } as never)).rejects.toMatchObject({ field: 'files.f' });
    expect(await sandbox.readTextFile('f')).toBe('abcdef');
  });

  it('a full work folder is an error of that call, and the sandbox goes on', async () => {
    await using sandbox = await sbx.engine.createSandbox({ limits: { diskBytes: MiB } });
    const write = sandbox.writeFile('f', new Uint8Array(2 * MiB));
    await expect(write).rejects.toMatchObject({ code: 'SBX_FILE_NO_SPACE' });
    await sandbox.writeFile('g', 'x');
    expect((await sandbox.run('/bin/cat', ['g'])).stdout.text()).toBe('x');
  });
});

describe('names that lead out', () => {
  const names = [
    '../x',
    'a/../../x',
    '/etc/passwd',
    '/proc/self/environ',
    '/x',
    '..',
    '/w/../etc/passwd',
    'a\0b',
    '',
    `${'d/'.repeat(3000)}x`,
    'n'.repeat(256),
  ];
  const calls: [string, (sandbox: Sandbox, path: string) => Promise<unknown>][] = [
    ['readFile', (sandbox, path) => sandbox.readFile(path)],
    ['writeFile', (sandbox, path) => sandbox.writeFile(path, 'x')],
    ['mkdir', (sandbox, path) => sandbox.mkdir(path)],
    ['stat', (sandbox, path) => sandbox.stat(path)],
    ['rm', (sandbox, path) => sandbox.rm(path, { recursive: true })],
    ['rename to', async (sandbox, path) => sandbox.rename('f', path)],
    ['rename from', async (sandbox, path) => sandbox.rename(path, 'g')],
    ['chmod', (sandbox, path) => sandbox.chmod(path, 0o777)],
    ['symlink at', (sandbox, path) => sandbox.symlink('f', path)],
  ];
  it.each(calls)('%s refuses every one', async (_, call) => {
    await using sandbox = await sbx.engine.createSandbox({ files: { f: 'x' } });
    for (const name of names) {
      const code = expect.stringMatching(/^SBX_(FILE_(OUTSIDE|NOT_FOUND|DENIED|IO)|INVALID_OPTIONS)$/);
      await expect(call(sandbox, name), JSON.stringify(name.slice(0, 40))).rejects.toMatchObject({ code });
    }
    expect(await sandbox.readTextFile('f')).toBe('x');
  });

  it.each(['../x', '/etc/../x', 'a/../../x', '', '.', 'a\0b'])(
    'files and copyOut refuse %j',
    async (name) => {
      const started = sbx.engine.counters().startedTotal;
      const invalid = { code: 'SBX_INVALID_OPTIONS' };
      await expect(sbx.engine.run(t('true'), [], { files: { [name]: 'x' } })).rejects.toMatchObject(invalid);
      await expect(sbx.engine.run(t('true'), [], { copyOut: [name] })).rejects.toMatchObject(invalid);
      expect(sbx.engine.counters().startedTotal).toBe(started);
    },
  );
});

describe('links that lead out', () => {
  const plants: [title: string, script: string, path: string][] = [
    ['a link to a file of the root', 'ln -s /etc/passwd out', 'out'],
    ['a link to a device', 'ln -s /dev/urandom out', 'out'],
    ['a link to nothing', 'ln -s /nowhere out', 'out'],
    ['a link to a file beside it', 'echo x > real; ln -s real out', 'out'],
    ['a folder that is /proc/self', 'ln -s /proc/self out', 'out/environ'],
    ['a folder that is the root', 'ln -s / out', 'out/etc/passwd'],
    ['a folder that is the one above', 'ln -s .. out', 'out/etc/passwd'],
    ['a magic link', 'ln -s /proc/self/exe out', 'out'],
    ['a magic link to a descriptor', 'ln -s /proc/self/fd/3 out', 'out'],
    ['a loop', 'ln -s out out', 'out'],
  ];

  it.each(plants)('copyOut of %s', async (_, script, path) => {
    const result = await shell(script, { copyOut: [path] });
    expect(result.status).toBe('file-error');
    expect(result.files).toEqual({});
    expect(result.fileErrors).toEqual([
      {
        path,
        code: expect.stringMatching(/^(outside|not-regular)$/),
        message: expect.any(String),
        errno: expect.any(Number),
      },
    ]);
  });

  // A link that stays inside is followed in a session, as any program there would.
  it.each(plants.filter(([title]) => title !== 'a link to a file beside it'))(
    'reading and writing %s',
    async (_, script, path) => {
      await using sandbox = await sbx.engine.createSandbox();
      await sandbox.run('/bin/sh', ['-c', script]);
      const code = expect.stringMatching(/^SBX_FILE_(OUTSIDE|NOT_REGULAR)$/);
      await expect(sandbox.readFile(path)).rejects.toMatchObject({ code });
      await expect(sandbox.writeFile(path, 'x')).rejects.toMatchObject({ code });
    },
  );

  it('rm -r removes a link, not what it points to', async () => {
    await using sandbox = await sbx.engine.createSandbox({ files: { 'keep/x': '1' } });
    await sandbox.run('/bin/sh', ['-c', 'mkdir d; ln -s ../keep d/l; ln -s / d/r']);
    await sandbox.rm('d', { recursive: true });
    expect(await sandbox.readTextFile('keep/x')).toBe('1');
    expect((await sandbox.run('/bin/cat', ['/etc/passwd'])).status).toBe('ok');
  });

  it('while a program swaps a folder for a link, no write leaves the sandbox’s own folders', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const swap = 'mkdir d; while :; do mv d e; ln -s /etc d; rm d; mv e d; done';
    await using _swapper = await sandbox.spawn('/bin/sh', ['-c', swap]);
    for (let i = 0; i < 300; i++) await sandbox.writeFile('d/sbx-swapped', 'x').catch(() => {});
    const seen = await sandbox.run('/bin/ls', ['/etc/sbx-swapped']);
    expect([seen.status, existsSync('/etc/sbx-swapped')]).toEqual(['exit', false]);
  });
});

describe('copyOut', () => {
  const cases: [title: string, script: string, copyOut: CopyOut, code: FileError['code']][] = [
    ['a missing file', 'true', 'out', 'not-found'],
    ['a missing folder', 'true', 'd/out', 'not-found'],
    ['a folder', 'mkdir out', 'out', 'not-regular'],
    ['a FIFO', 'mkfifo out', 'out', 'not-regular'],
    ['a file larger than the entry allows', 'printf abcdef > out', { path: 'out', maxBytes: 5 }, 'too-large'],
    ['a sparse file of a terabyte', 'truncate -s 1T out', 'out', 'too-large'],
    ['below a file', 'echo x > out', 'out/in', 'not-found'],
  ];
  it.each(cases)('%s', async (_, script, entry, code) => {
    const limits = { fileBytes: null };
    const { value: result, ms, stolenMs } = await timed(() => shell(script, { copyOut: [entry], limits }));
    const path = typeof entry === 'string' ? entry : entry.path;
    expect(result.status).toBe('file-error');
    expect(result.fileErrors).toMatchObject([{ path, code }]);
    expect(ms - stolenMs).toBeLessThan(300); // nobody opened the FIFO's other end, nobody read a terabyte
  });

  it('a name that means something to JavaScript', async () => {
    const names = ['__proto__', 'constructor'];
    const result = await shell('for name in __proto__ constructor; do printf $name > $name; done', {
      copyOut: names,
    });
    expect(Object.entries(result.files).map(([name, file]) => [name, file.text()])).toEqual(
      names.map((name) => [name, name]),
    );
  });

  it('content, mode and text', async () => {
    const result = await shell('mkdir d; printf abc > d/out; chmod 750 d/out', { copyOut: ['d/out'] });
    const file = result.files['d/out']!;
    expect([file.text(), file.mode & 0o777, file.path]).toEqual(['abc', 0o750, 'd/out']);
    expect(JSON.stringify(file)).toBe(`{"path":"d/out","mode":${file.mode},"sizeBytes":3,"keptBytes":3}`);
  });

  it('some there, some not: those that are there come back', async () => {
    const copyOut: CopyOut[] = ['a', 'b', { path: 'c', optional: true }];
    const result = await shell('echo 1 > a', { copyOut });
    expect(Object.keys(result.files)).toEqual(['a']);
    expect(result.fileErrors.map((error) => error.path)).toEqual(['b']);
  });

  it('after a bad end too', async () => {
    const result = await shell('echo 1 > a; kill -9 $$', { copyOut: ['a'] });
    expect([result.status, result.files.a?.text()]).toEqual(['signal', '1\n']);
  });

  it('permissions do not hide a file from its owner’s supervisor', async () => {
    const result = await shell('echo 1 > a; chmod 000 a; mkdir d; echo 2 > d/b; chmod 000 d', {
      copyOut: ['a', 'd/b'],
    });
    expect(Object.keys(result.files).toSorted()).toEqual(['a', 'd/b']);
  });

  it('no process lives while files are taken: an orphan that appends does not matter', async () => {
    const script = '(while :; do printf x >> out; done) & while [ ! -s out ]; do :; done';
    const result = await shell(script, { copyOut: ['out'] });
    expect(result.files.out!.bytes.byteLength).toBeGreaterThan(0);
  });

  it('odd names', async () => {
    const names = ['-rf', 'a b', 'a\nb', '*', '..foo', 'x'.repeat(255), 'žluť'];
    const script = names.map((name, i) => `printf ${i} > './${name}'`).join('; ');
    const result = await shell(script, { copyOut: names });
    expect(names.map((name) => result.files[name]?.text())).toEqual(names.map((_, i) => String(i)));
  });
});

describe('files in', () => {
  it('text, bytes, host files, descriptors; parents are made; modes are kept', async () => {
    const fd = openSync(join(folder, 'host.txt'), 'r');
    try {
      const files = {
        'a/b/text': 'text',
        bytes: Uint8Array.of(65, 66),
        host: { hostFile: join(folder, 'host.txt') },
        handle: { fd },
        'run.sh': { text: '#!/bin/sh\n', executable: true },
        secret: { text: 's', mode: 0o600 },
      };
      const script = 'cat a/b/text bytes host handle; stat -c " %a" run.sh secret a/b/text';
      const result = await shell(script, { files });
      expect(result.stdout.text()).toBe('textABof the hostof the host 755\n 600\n 644\n');
    } finally {
      closeSync(fd);
    }
  });

  it.each([
    ['missing', 'nowhere.txt', 'SBX_FILE_NOT_FOUND'],
    ['a folder', '', 'SBX_FILE_IS_FOLDER'],
  ])('a host file that is %s', async (_, name, code) => {
    const run = sbx.engine.run(t('true'), [], { files: { f: { hostFile: join(folder, name) } } });
    await expect(run).rejects.toMatchObject({ code: expect.stringMatching(new RegExp(`^${code}$`)) });
  });

  it('a host device or FIFO is not read', async () => {
    const run = sbx.engine.run(t('true'), [], { files: { f: { hostFile: '/dev/zero' } } });
    await expect(run).rejects.toMatchObject({ code: 'SBX_FILE_NOT_REGULAR' });
  });

  it('more than the disk holds', async () => {
    const options = { files: { f: new Uint8Array(2 * MiB) }, limits: { diskBytes: MiB } };
    await expect(sbx.engine.run(t('true'), [], options)).rejects.toMatchObject({ code: 'SBX_FILE_NO_SPACE' });
    expect((await sbx.engine.run(t('true'))).status).toBe('ok');
  });

  it('a file and a folder of one name', async () => {
    const options = { files: { a: 'x', 'a/b': 'y' } };
    await expect(sbx.engine.run(t('true'), [], options)).rejects.toMatchObject({
      code: expect.stringMatching(/^SBX_(FILE_NOT_FOLDER|FILE_EXISTS|INVALID_OPTIONS)$/),
    });
  });

  it('1000 files', async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`d${i % 10}/f${i}`, String(i)]));
    const result = await shell('cat d*/* | wc -c; find . -type f | wc -l', { files });
    expect(result.stdout.text().split(/\s+/).slice(0, 2)).toEqual(['2890', '1000']);
  });

  it('a program copied in runs at once, sixteen of them side by side', async () => {
    const file = { hostFile: join(buildPrograms(), 'exit-with'), executable: true };
    const runs = Array.from({ length: 16 }, (_, i) =>
      sbx.engine.run('./p', [String(i)], { files: { p: file } }),
    );
    expect((await Promise.all(runs)).map((result) => result.exitCode)).toEqual(
      Array.from({ length: 16 }, (_, i) => i),
    );
  });
});

describe('what is hard to remove is gone anyway', () => {
  it.each([
    ['a tree 1000 deep', 'i=0; while [ $i -lt 1000 ]; do mkdir d && cd d; i=$((i+1)); done'],
    ['4000 files', 'i=0; while [ $i -lt 4000 ]; do : > f$i; i=$((i+1)); done'],
    ['folders without permissions', 'mkdir -p a/b/c; chmod 000 a/b a'],
    ['a full disk', `head -c ${130 * MiB} /dev/zero > f 2>/dev/null; true`],
  ])('%s', async (_, script) => {
    const limits = { fileBytes: null, diskBytes: 64 * MiB, memoryBytes: 512 * MiB };
    const result = await shell(script, { limits });
    expect(result.status).toBe('ok');
    const { value: next, ms } = await timed(() => shell('ls -A /w /tmp /dev/shm'));
    expect(next.stdout.text()).toBe('/dev/shm:\n\n/tmp:\n\n/w:\n');
    expect(ms).toBeLessThan(500);
  });
});
