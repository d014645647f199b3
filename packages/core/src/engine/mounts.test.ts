import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MountRow } from '../types/mounts.js';
import { compileMasks, compileMounts, treeTargets } from './mounts.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-mounts-'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'file'), '');
  symlinkSync('data', join(folder, 'link'));
  symlinkSync('file', join(folder, 'file-link'));
  symlinkSync('nothing', join(folder, 'broken'));
  symlinkSync('circle', join(folder, 'circle'));
  symlinkSync('/dev/null', join(folder, 'null'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** What becomes of one row. */
const compiled = (row: MountRow) => compileMounts([row]);
const bind = (name: string, more: Partial<Extract<MountRow, { kind: 'bind' }>> = {}): MountRow => ({
  kind: 'bind',
  source: join(folder, name),
  target: '/there',
  ...more,
});
const BOUND = {
  kind: 'bind',
  target: 'there',
  writable: false,
  recursive: false,
  noExec: false,
  isFile: false,
};

describe('binds', () => {
  it('are read-only, of one file system and with programs, unless the row says otherwise', () => {
    const source = join(folder, 'data');
    expect(compiled(bind('data'))).toEqual([{ ...BOUND, source }]);
    expect(compiled(bind('data', { writable: true }))).toEqual([{ ...BOUND, source, writable: true }]);
    expect(compiled(bind('data', { recursive: true }))).toEqual([{ ...BOUND, source, recursive: true }]);
    expect(compiled(bind('data', { executable: false }))).toEqual([{ ...BOUND, source, noExec: true }]);
  });

  it('are of a file or a folder, also behind a link, which without a target stays a link', () => {
    const isFile = (name: string) => compiled(bind(name)).map((row) => 'isFile' in row && row.isFile);
    expect(['data', 'file', 'link', 'file-link'].flatMap(isFile)).toEqual([false, true, false, true]);
    const source = join(folder, 'link');
    expect(compiled({ kind: 'bind', source })).toEqual([
      { kind: 'symlink', source: 'data', target: source.slice(1) },
    ]);
    expect(compiled({ kind: 'bind', source: join(folder, 'data') })[0]!.target).toBe(
      join(folder, 'data').slice(1),
    );
  });

  it.each(['missing', 'missing/below', 'file/below', 'broken', 'circle'])(
    'of what is not there (%s) are refused by their row, or left out',
    (name) => {
      expect(() => compileMounts([bind('data'), bind(name)])).toThrow(
        expect.objectContaining({ field: 'options.mounts[1].source', expected: 'must exist on the host' }),
      );
      expect(compiled(bind(name, { optional: true }))).toEqual([]);
    },
  );

  it('of devices are refused, but for those that are there anyway, at their place', () => {
    for (const name of ['null', 'zero', 'full', 'random', 'urandom', 'tty']) {
      const source = `/dev/${name}`;
      expect(compiled({ kind: 'bind', source })).toEqual([]);
      expect(compiled({ kind: 'bind', source, target: source })).toEqual([]);
      expect(() => compileMounts([bind('data'), { kind: 'bind', source, target: '/dev/mine' }])).toThrow(
        expect.objectContaining({
          field: 'options.mounts[1].source',
          hint: expect.stringContaining('/dev/tty'),
        }),
      );
    }
  });
});

it('a link to a device is no way to one', () => {
  expect(() => compiled(bind('null'))).toThrow(expect.objectContaining({ expected: 'must not be a device' }));
});

describe('file systems, links, folders, files', () => {
  it.each<[MountRow, object[]]>([
    [
      { kind: 'tmpfs', target: '/cache' },
      [{ kind: 'tmpfs', source: '', target: 'cache', sizeBytes: 2 ** 27, inodeCount: 16_384, mode: 0o755 }],
    ],
    [
      { kind: 'tmpfs', target: '/tmp', sizeBytes: 4096, inodeCount: 1 },
      [{ kind: 'tmpfs', source: '', target: 'tmp', sizeBytes: 4096, inodeCount: 1, mode: 0o1777 }],
    ],
    [
      { kind: 'tmpfs', target: '/dev/shm', mode: 0o700 },
      [{ kind: 'tmpfs', source: '', target: 'dev/shm', sizeBytes: 2 ** 27, inodeCount: 16_384, mode: 0o700 }],
    ],
    [
      { kind: 'symlink', target: '/bin', to: 'usr/bin' },
      [{ kind: 'symlink', source: 'usr/bin', target: 'bin' }],
    ],
    [{ kind: 'symlink', target: '/dev/ptmx', to: 'pts/ptmx' }, []],
    [{ kind: 'dir', target: '/srv' }, [{ kind: 'dir', source: '', target: 'srv', mode: 0o755 }]],
    [{ kind: 'dir', target: '/srv', mode: 0 }, [{ kind: 'dir', source: '', target: 'srv', mode: 0 }]],
    [{ kind: 'file', target: '/f', text: 'x' }, [{ kind: 'file', source: 'x', target: 'f', mode: 0o644 }]],
    [
      { kind: 'file', target: '/f', text: '', mode: 0o600 },
      [{ kind: 'file', source: '', target: 'f', mode: 0o600 }],
    ],
  ])('%j', (row, expected) => {
    expect(compiled(row)).toEqual(expected);
  });

  it('/dev/shm is everybody’s by default', () => {
    expect(compiled({ kind: 'tmpfs', target: '/dev/shm' })[0]).toMatchObject({ mode: 0o1777 });
  });
});

it('what /proc does not show needs no mask', () => {
  expect(compileMasks(['/proc/kcore', '/sys/firmware', '/proc/sys/kernel'])).toEqual([
    { kind: 'mask', source: '', target: 'sys/firmware' },
  ]);
});

it('the trees of a sandbox are its own three and the private file systems, each once', () => {
  const rows: MountRow[] = [
    { kind: 'tmpfs', target: '/tmp' },
    { kind: 'tmpfs', target: '/cache' },
    { kind: 'dir', target: '/srv' },
    { kind: 'tmpfs', target: '/box' },
  ];
  expect(treeTargets('/box', rows)).toEqual(['/box', '/tmp', '/dev/shm', '/cache']);
  expect(treeTargets('/w', [])).toEqual(['/w', '/tmp', '/dev/shm']);
});
