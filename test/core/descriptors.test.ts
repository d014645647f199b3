// Descriptors by number and kind: closed, inherited, shared, real files to read and to write.
import {
  chmodSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InputSpec, OneShotOptions } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KiB, MiB, t, useEngine } from '../helpers/engine.js';

const sbx = useEngine();
const run = (program: string, args: string[], options?: OneShotOptions) =>
  sbx.engine.run(t(program), args, options);
const shell = (script: string, options?: OneShotOptions) =>
  sbx.engine.run('/bin/sh', ['-c', script], options);

const text = '0123456789abcdef';
let folder: string;
let hostFile: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'descriptors-test-'));
  hostFile = join(folder, 'input.txt');
  writeFileSync(hostFile, text);
  chmodSync(hostFile, 0o666); // its mode must not matter
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Opens the host file for one use. */
async function withHostFile<T>(flags: string, use: (fd: number) => Promise<T>): Promise<T> {
  const fd = openSync(hostFile, flags);
  try {
    return await use(fd);
  } finally {
    closeSync(fd); // throws if somebody closed it
  }
}

describe('which are open', () => {
  it.each<[string, OneShotOptions, string]>([
    ['stdin closed', { stdin: 'closed' }, '1 2\n'],
    ['stderr closed', { stderr: 'closed' }, '0 1\n'],
    ['one of fds closed', { fds: { 3: { input: 'closed' }, 4: { output: 'null' } } }, '0 1 2 4\n'],
    ['stdin by number', { fds: { 0: { input: 'closed' } } }, '1 2\n'],
    ['stdout by number', { fds: { 1: { output: 'capture' }, 2: { output: 'closed' } } }, '0 1\n'],
    ['the highest number', { fds: { 255: { input: 'null' } } }, '0 1 2 255\n'],
  ])('%s', async (_, options, expected) => {
    const result = await run('list-fds', [], options);
    expect([result.status, result.stdout.text()]).toEqual(['ok', expected]);
  });

  it('a program with none of them runs', async () => {
    const closed = { stdin: 'closed', stdout: 'closed', stderr: 'closed' } as const;
    const { status, stdout } = await run('exit-with', ['0'], closed);
    expect([status, stdout.totalBytes]).toEqual(['ok', 0]);
  });

  it('a captured number comes under its number, and as stdout', async () => {
    const { stdout, outputs } = await run('write-both', ['1'], { fds: { 1: { output: 'capture' } } });
    expect([stdout.text(), outputs[1]?.text(), outputs[2]]).toEqual(['o1 ', 'o1 ', undefined]);
  });

  it('beside a terminal, a number that is something else', async () => {
    const options: OneShotOptions = {
      pty: {},
      fds: { 0: { input: { text: 'in' } }, 2: { output: 'capture' } },
    };
    const { stdout, outputs } = await shell('cat; echo err >&2; test -t 1 && echo tty', options);
    expect([stdout.text(), outputs[2]!.text()]).toEqual(['intty\r\n', 'err\n']);
  });
});

describe('inherited', () => {
  it('is the open file of the host: its offset moves', () =>
    withHostFile('r', async (fd) => {
      for (const expected of [text.slice(0, 4), text.slice(4, 8)]) {
        const result = await run('copy-fd', ['0', '1', '4'], { stdin: { inherit: fd } });
        expect(result.stdout.text()).toBe(expected);
      }
    }));

  it('an output goes where the host has it', async () => {
    const path = join(folder, 'out.txt');
    const fd = openSync(path, 'w');
    const result = await run('write-both', ['2'], { stdout: { inherit: fd }, stderr: { sameAs: 1 } });
    closeSync(fd);
    expect([result.stdout.totalBytes, readFileSync(path, 'utf8')]).toEqual([0, 'o1 e1 o2 e2 ']);
  });

  it('one that is not open is refused before anything starts', async () => {
    const refused = { name: 'FileAccessError', operation: 'inherit', errnoName: 'EBADF' };
    await expect(run('true', [], { stdin: { inherit: 99_999 } })).rejects.toMatchObject(refused);
    await expect(run('true', [], { fds: { 5: { fd: 99_999 } } })).rejects.toMatchObject(refused);
  });
});

describe('seekable', () => {
  const cases: [string, () => InputSpec, string][] = [
    ['text', () => ({ text, seekable: true }), text],
    ['bytes', () => ({ bytes: Buffer.from(text), seekable: true }), text],
    ['nothing', () => ({ text: '', seekable: true }), ''],
    ['a file of the host', () => ({ hostFile, seekable: true }), text],
  ];
  it.each(cases)('%s', async (_, stdin, content) => {
    const first = content.slice(0, 8);
    const { stdout } = await run('seek-twice', ['0'], { stdin: stdin() });
    expect(stdout.text()).toBe(`0\n${first}\n${first}\n${first}\n`);
  });

  it('a descriptor of the host, whose own offset stays', () =>
    withHostFile('r', async (fd) => {
      readSync(fd, Buffer.alloc(3));
      const { stdout } = await run('seek-twice', ['7'], { fds: { 7: { input: { fd, seekable: true } } } });
      expect(stdout.text().split('\n')[1]).toBe(text.slice(0, 8));
      const next = Buffer.alloc(1);
      readSync(fd, next);
      expect(next.toString()).toBe(text[3]);
    }));

  const all = ['write', 'truncate', 'map', 'chmod', 'reopen', 'reopen to write', 'reopen to cut'];
  it.each(cases)('%s cannot be changed, nor named', async (_, stdin) => {
    const { stdout } = await run('change-fd', ['0'], { stdin: stdin() });
    const lines = stdout.text().trimEnd().split('\n');
    expect(lines.slice(0, -1).map((line) => line.split(': ')[0])).toEqual(all);
    expect(lines.join('\n')).not.toContain('OK');
    expect(lines.at(-1)).not.toContain(folder);
    expect(readFileSync(hostFile, 'utf8')).toBe(text);
  });

  it('nor by a descriptor that the host has open for writing', () =>
    withHostFile('r+', async (fd) => {
      const { stdout } = await run('change-fd', ['0'], { stdin: { fd, seekable: true } });
      expect(stdout.text()).not.toContain('OK');
      expect(readFileSync(hostFile, 'utf8')).toBe(text);
    }));

  it.each([
    ['a folder', '/usr', 'SBX_FILE_IS_FOLDER'],
    ['a device', '/dev/zero', 'SBX_FILE_NOT_REGULAR'],
    ['nothing there', '/nothing/here', 'SBX_FILE_NOT_FOUND'],
  ])('%s is refused', async (_, path, code) => {
    const error = await run('true', [], { stdin: { hostFile: path, seekable: true } }).catch((it) => it);
    expect(error).toMatchObject({ code, operation: 'read', path });
  });
});

describe('a pipe', () => {
  it.each<[string, string, OneShotOptions]>([
    ['to read', '< /proc/self/fd/0 cat; echo x >> /proc/self/fd/0', { stdin: { text: 'in\n' } }],
    ['to write', 'echo in > /proc/self/fd/1; read x < /proc/self/fd/1', {}],
  ])('%s is opened once more for that, and nothing else', async (_, script, options) => {
    const { stdout, stderr, exitCode } = await shell(script, options);
    expect([stdout.text(), exitCode]).toEqual(['in\n', 2]);
    expect(stderr.text()).toContain('Permission denied');
  });
});

describe('a capture with a bound of its own', () => {
  it('kills by default, whatever outputBytes is', async () => {
    const options: OneShotOptions = { stdout: { capture: { maxBytes: 100 } } };
    const { status, stdout } = await run('flood', ['1', '0'], options);
    expect([status, stdout.bytes.byteLength, stdout.truncated]).toEqual(['output-limit', 100, true]);
  });

  it('may be larger than outputBytes', async () => {
    const options: OneShotOptions = {
      stdout: { capture: { maxBytes: 2 * MiB } },
      limits: { outputBytes: 10 },
    };
    const { status, stdout } = await run('flood', ['1', String(2 * MiB)], options);
    expect([status, stdout.bytes.byteLength, stdout.truncated]).toEqual(['ok', 2 * MiB, false]);
  });

  it('discards the rest: counted, never blocked, never killed', async () => {
    const options: OneShotOptions = { stdout: { capture: { maxBytes: 100, overflow: 'discard' } } };
    const { status, stdout } = await run('flood', ['1', String(5 * MiB)], options);
    expect([status, stdout.bytes.byteLength, stdout.totalBytes]).toEqual(['ok', 100, 5 * MiB]);
  });

  it('of nothing at all', async () => {
    const options: OneShotOptions = { stdout: { capture: { maxBytes: 0, overflow: 'discard' } } };
    const { status, stdout } = await run('write-both', ['1'], options);
    expect([status, stdout.bytes.byteLength, stdout.totalBytes]).toEqual(['ok', 0, 3]);
  });
});

describe('the same as another', () => {
  it('one offset, in order, also through a chain and for numbers beyond 2', async () => {
    const options: OneShotOptions = {
      stdout: { sameAs: 9 },
      stderr: { sameAs: 1 },
      fds: { 9: { output: { file: 'o', collect: { maxBytes: 100 } } } },
    };
    const { outputs } = await shell('echo a; echo b >&2; echo c >&9; echo d', options);
    expect(outputs[9]!.text()).toBe('a\nb\nc\nd\n');
  });

  it.each<[string, OneShotOptions, string]>([
    ['itself', { stdout: { sameAs: 1 } }, 'options.stdout.sameAs'],
    ['one that is not there', { stdout: { sameAs: 8 } }, 'options.stdout.sameAs'],
    ['one that is closed', { stdout: 'closed', stderr: { sameAs: 1 } }, 'options.stderr.sameAs'],
    [
      'each other',
      { fds: { 5: { output: { sameAs: 6 } }, 6: { output: { sameAs: 5 } } } },
      'options.fds[5].output.sameAs',
    ],
  ])('%s is refused', async (_, options, field) => {
    const refused = { code: 'SBX_INVALID_OPTIONS', field };
    await expect(run('true', [], options)).rejects.toMatchObject(refused);
  });
});

describe('a collected file', () => {
  const out = (maxBytes: number): OneShotOptions => ({ stdout: { file: 'out.txt', collect: { maxBytes } } });

  it('comes with its content, and the program sees it', async () => {
    const { stdout, outputs, status } = await shell('echo text; wc -c < out.txt >&2', out(100));
    expect([status, stdout.text(), stdout.truncated, outputs]).toEqual(['ok', 'text\n', false, {}]);
  });

  it.each([
    ['unlinked', 'echo text; rm out.txt'],
    ['replaced', 'echo text; rm out.txt; echo other > out.txt'],
    ['replaced by a link', 'echo text; ln -sf /etc/passwd out.txt'],
    ['moved', 'echo text; mv out.txt elsewhere'],
  ])('also when its path was %s', async (_, script) => {
    expect((await shell(script, out(100))).stdout.text()).toBe('text\n');
  });

  it('is cut at the bound, and that ends nothing', async () => {
    const { status, stdout } = await run('flood', ['1', String(300 * KiB)], out(1000));
    const { bytes, totalBytes, droppedBytes } = stdout;
    expect([status, bytes.byteLength, totalBytes]).toEqual(['ok', 1000, 300 * KiB]);
    expect(droppedBytes).toBe(300 * KiB - 1000);
  });

  it('a terabyte of nothing costs nothing', async () => {
    const limits = { fileBytes: null };
    const { stdout } = await shell('truncate -s 1T out.txt', { ...out(10), limits });
    expect([stdout.bytes.byteLength, stdout.totalBytes]).toEqual([10, 2 ** 40]);
  });

  it('as a descriptor: read-only, at its start, the caller’s', async () => {
    const stdout = { file: 'o', collect: { maxBytes: 3, as: 'fd' } } as const;
    const result = await run('write-both', ['2'], { stdout, stderr: 'null' });
    const { fd, totalBytes, truncated, bytes } = result.stdout;
    try {
      expect(readFileSync(fd!, 'utf8')).toBe('o1 o2 ');
      expect([totalBytes, truncated, bytes.byteLength]).toEqual([6, true, 0]);
    } finally {
      closeSync(fd!);
    }
  });

  it('one path twice is one descriptor, and a name that was not taken has no entry', async () => {
    const copyOut = [
      { path: 'o', as: 'fd' },
      { path: 'o', as: 'fd' },
      { path: 'toString', optional: 'any' },
    ] as const;
    const { files } = await run('write-both', ['2'], { stdout: { file: 'o' }, stderr: 'null', copyOut });
    closeSync(files.o!.fd!); // the harness counts descriptors
    expect([Object.keys(files), files.toString, files.valueOf]).toEqual([['o'], undefined, undefined]);
  });

  it('is there before files are copied in, which may write over it', async () => {
    const { stdout } = await run('true', [], { ...out(100), files: { 'out.txt': 'copied' } });
    expect(stdout.text()).toBe('copied');
  });

  it('has the mode asked for, whatever the umask', async () => {
    const stdout = { file: 'o', mode: 0o777 } as const;
    const { stderr } = await shell('stat -c %a o >&2', { stdout });
    expect(stderr.text()).toBe('777\n');
  });

  it.each([
    ['a folder', 'mkdir x', 'SBX_FILE_IS_FOLDER', 'EISDIR'],
    ['a pipe', 'mkfifo x', 'SBX_FILE_NOT_REGULAR', 'ENXIO'],
    ['a link', 'ln -s /etc/passwd x', 'SBX_FILE_OUTSIDE', 'ELOOP'],
  ])('where %s stands, it is refused', async (_, script, code, errnoName) => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/sh', ['-c', script]);
    const refused = { code, errnoName, operation: 'write', path: 'x' };
    await expect(sandbox.run(t('true'), [], { stdout: { file: 'x' } })).rejects.toMatchObject(refused);
  });

  it('without its folder it is refused, and nothing is left open', async () => {
    const refused = { code: 'SBX_FILE_NOT_FOUND', operation: 'write', path: 'no/x' };
    await expect(run('true', [], { stdout: { file: 'no/x' } })).rejects.toMatchObject(refused);
  });
});
