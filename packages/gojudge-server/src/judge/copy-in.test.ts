import { FileAccessError } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { type CopyIn, copyInFailure, makeCopyIn } from './copy-in.js';
import type { CopyInSource, JobProgram } from './job.js';
import type { RunScope } from './scope.js';

const ENOENT = 2;
const OPENED: Record<string, unknown> = {
  '/h/regular': { kind: 'regular', fd: 7 },
  '/h/folder': { kind: 'folder', fd: 8 },
  '/dev/null': { kind: 'null', fd: 9 },
  '/h/missing': ENOENT,
};
const SCOPE = {
  settings: { workDir: '/w', diskBytes: 10 },
  sources: { find: ({ path }: { path: string }) => OPENED[path] },
} as unknown as RunScope;
const programOf = (copyIn: [string, CopyInSource][]) => ({ copyIn }) as unknown as JobProgram;

function made(path: string, source: CopyInSource) {
  const done = makeCopyIn(SCOPE, programOf([[path, source]]));
  if (done instanceof Promise) throw new Error('nothing is to be read');
  return done;
}

const text: CopyInSource = { kind: 'content', text: 'x' };
const link = (target: string): CopyInSource => ({ kind: 'symlink', target });

it.each<[string, CopyInSource, object]>([
  ['a', text, { a: { text: 'x', mode: 0o777 } }],
  ['/w/a/../b', text, { b: { text: 'x', mode: 0o777 } }],
  ['/tmp/a', text, { '/tmp/a': { text: 'x', mode: 0o777 } }],
  ['a', { kind: 'src', path: '/h/regular' }, { a: { fd: 7, mode: 0o777 } }],
  ['a', { kind: 'src', path: '/dev/null' }, { a: { text: '', mode: 0o777 } }],
  ['a', link('/usr/bin'), { a: { symlink: '/usr/bin' } }],
  ['__proto__', text, { ['__proto__']: { text: 'x', mode: 0o777 } }],
])('%s from %j', (path, source, expected) => {
  const { files, failed } = made(path, source);
  expect(failed).toBeNull();
  expect(Object.entries(files)).toEqual(Object.entries(expected));
});

describe('what cannot be made is told as go-judge tells it', () => {
  it.each<[string, CopyInSource, string, string]>([
    ['.', text, 'CopyInCreateFile', 'open .: is a directory'],
    ['/', text, 'CopyInCreateFile', 'open /: is a directory'],
    ['d/', text, 'CopyInCreateFile', 'open d/: is a directory'],
    ['d/.', text, 'CopyInCreateFile', 'open d/.: is a directory'],
    ['a\0', text, 'CopyInCreateFile', 'open a\0: invalid argument'],
    ['a'.repeat(4096), text, 'CopyInCreateFile', `open ${'a'.repeat(4096)}: file name too long`],
    [`b/${'a'.repeat(256)}`, text, 'CopyInCreateFile', `open b/${'a'.repeat(256)}: file name too long`],
    ['a', { kind: 'unreadable' }, 'CopyInOpenFile', 'file cannot open as reader: *envexec.FileCollector'],
    [
      'a',
      { kind: 'src', path: '/h/missing' },
      'CopyInOpenFile',
      'open /h/missing: no such file or directory',
    ],
    [
      'a',
      { kind: 'src', path: '/h/folder' },
      'CopyInCopyContent',
      'write a: copy_file_range: is a directory',
    ],
    ['a', link(''), 'Symlink', 'symlink: "a" -> "": symlink  a: no such file or directory'],
    ['d/', link('b'), 'Symlink', 'symlink: "d/" -> "b": symlink b d/: no such file or directory'],
    ['.', link('b'), 'Symlink', 'symlink: "." -> "b": symlink b .: file exists'],
    ['', link('b'), 'Symlink', 'symlink: "" -> "b": symlink b : no such file or directory'],
  ])('%j from %j', (path, source, type, message) => {
    const { files, failed } = made(path, source);
    expect(Object.keys(files)).toEqual([]);
    expect(failed!.fileErrors).toEqual([{ name: path, type, message }]);
  });

  it.each<[string, [string, CopyInSource][], string[]]>([
    [
      'a link where a file is',
      [
        ['./a', link('b')],
        ['a', text],
      ],
      ['Symlink'],
    ],
    [
      'a second link at one place',
      [
        ['a', link('b')],
        ['/w/a', link('b')],
      ],
      ['Symlink'],
    ],
    [
      'links only when all files could be',
      [
        ['a', link('')],
        ['/', text],
      ],
      ['CopyInCreateFile'],
    ],
  ])('%s', (_what, copyIn, types) => {
    const { failed } = makeCopyIn(SCOPE, programOf(copyIn)) as CopyIn;
    expect(failed!.fileErrors.map(({ type }) => type)).toEqual(types);
  });

  it('of links the program says how many', () => {
    const done = makeCopyIn(
      SCOPE,
      programOf([
        ['a', link('')],
        ['b', link('')],
        ['c', text],
      ]),
    );
    expect(done).toMatchObject({ failed: { failure: { error: 'symlink: 2 operations failed' } } });
  });

  it('of as many links as there may be, it is done in time', () => {
    const links = Array.from({ length: 65_536 }, (_, at): [string, CopyInSource] => [`${at}`, link('')]);
    const before = process.cpuUsage();
    const done = makeCopyIn(SCOPE, programOf(links));
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(2000);
    expect(done).toMatchObject({ failed: { failure: { error: 'symlink: 65536 operations failed' } } });
  });
});

it('a device of the host is read up to what the work folder could take', async () => {
  async function* endless() {
    for (;;) yield Buffer.from('abcd');
  }
  const scope = {
    ...SCOPE,
    signal: new AbortController().signal,
    sources: { find: () => ({ kind: 'live', live: endless() }) },
  } as unknown as RunScope;
  const done = await makeCopyIn(scope, programOf([['a', { kind: 'src', path: '/dev/zero' }]]));
  expect(done.files.a).toEqual({ bytes: Buffer.from('abcdabcdabcd'), mode: 0o777 });
});

describe('what the engine could not do', () => {
  const failureOf = (source: CopyInSource, operation: string, errno: number, path = 'a') =>
    copyInFailure(SCOPE, programOf([['a', source]]), new FileAccessError({ operation, path, errno }));

  it.each<[CopyInSource, string, number, string]>([
    [text, 'write', 28, 'write a: no space left on device'],
    [text, 'create', 28, 'write a: no space left on device'],
    [text, 'create', 13, 'open a: permission denied'],
    [text, 'create', 18, 'open a: read-only file system'],
    [text, 'read', 21, 'write a: copy_file_range: is a directory'],
    [link('b'), 'symlink', 17, 'symlink: "a" -> "b": symlink b a: file exists'],
  ])('%j: %s %i', (source, operation, errno, message) => {
    const failed = failureOf(source, operation, errno);
    expect(failed).toMatchObject({ status: 'File Error', fileErrors: [{ name: 'a', message }] });
  });

  it('with another file is not copyIn’s', () => {
    expect(failureOf(text, 'write', 28, 'other')).toBeNull();
  });
});
