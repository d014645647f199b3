import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import type { MountRow } from '../types/mounts.js';
import { validateEngineOptions } from './engine-options.js';
import { isHiddenProc } from './mount-rules.js';

function errorOf(options: unknown): InvalidOptionsError | null {
  try {
    validateEngineOptions(options);
    return null;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}

const bind = (source: string, target?: string): MountRow => ({ kind: 'bind', source, target });
const DEVICES_AND_LINKS: [target: string, to?: string][] = [
  ...['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name): [string] => [`/dev/${name}`]),
  ['/dev/fd', '/proc/self/fd'],
  ['/dev/stdin', '/proc/self/fd/0'],
  ['/dev/stdout', '/proc/self/fd/1'],
  ['/dev/stderr', '/proc/self/fd/2'],
  ['/dev/ptmx', 'pts/ptmx'],
];
const tmpfs = (target: string): MountRow => ({ kind: 'tmpfs', target });

describe('places of mount rows', () => {
  it.each<[MountRow]>([
    [bind('/dev/null')],
    [bind('/dev/urandom', '/dev/urandom')],
    [bind('/usr', '/w2')],
    [bind('/tmp/x', '/tmpx')],
    [tmpfs('/tmp')],
    [tmpfs('/dev/shm')],
    [tmpfs('/w')],
    [tmpfs('/cache')],
    [{ kind: 'dir', target: '/tmp' }],
    [{ kind: 'symlink', target: '/dev/fd', to: '/proc/self/fd' }],
    [{ kind: 'symlink', target: '/dev/core', to: '/proc/kcore' }],
  ])('%j is fine', (row) => {
    expect(errorOf({ mounts: [row] })).toBeNull();
  });

  it.each<[MountRow, string, string]>([
    [bind('/'), '.source', 'format'],
    [bind('/x', '/'), '.target', 'format'],
    [bind('/dev'), '.source', 'format'],
    [bind('/dev/shm'), '.source', 'format'],
    [bind('/x', '/dev/shm/x'), '.target', 'format'],
    [bind('/proc'), '.source', 'format'],
    [bind('/x', '/proc/x'), '.target', 'format'],
    [bind('/x', '/tmp'), '.target', 'format'],
    [bind('/x', '/w/x'), '.target', 'format'],
    [tmpfs('/w/x'), '.target', 'format'],
    [tmpfs('/tmp/x'), '.target', 'format'],
    [tmpfs('/proc'), '.target', 'format'],
    [tmpfs('/dev'), '.target', 'format'],
    [{ kind: 'file', target: '/tmp/x', text: '' }, '.target', 'format'],
    [{ kind: 'symlink', target: '/dev/stdin', to: '/etc/passwd' }, '.target', 'conflict'],
  ])('%j is refused', (row, field, rule) => {
    const error = errorOf({ mounts: [row] });
    expect([error?.field, error?.rule]).toEqual([`options.mounts[0]${field}`, rule]);
  });

  it.each(DEVICES_AND_LINKS)(
    '%s is there: as it is it may be asked for, as another thing not',
    (target, to) => {
      const [asIs, other] =
        to === undefined
          ? [bind(target), bind(target, '/dev/shm/x')]
          : [{ kind: 'symlink', target, to } as const, { kind: 'symlink', target, to: `${to}x` } as const];
      expect(errorOf({ mounts: [asIs] })).toBeNull();
      expect(errorOf({ mounts: [asIs, other] })?.field).toBe('options.mounts[1].target');
    },
  );

  it('the work folder is where the engine has it', () => {
    expect(errorOf({ mounts: [tmpfs('/w/x')], workDir: '/home' })).toBeNull();
    expect(errorOf({ mounts: [bind('/x', '/home/x')], workDir: '/home' })?.field).toBe(
      'options.mounts[0].target',
    );
  });
});

describe('bounds of mount rows', () => {
  const file = (bytes: number): MountRow => ({ kind: 'file', target: '/f', text: 'x'.repeat(bytes) });
  const many = (count: number) => Array.from({ length: count }, () => bind('/x'));
  const MAX = Number.MAX_SAFE_INTEGER;

  it.each<[MountRow[]]>([
    [many(128)],
    [[file(2 ** 20)]],
    [[{ ...tmpfs('/t'), mode: 0 } as MountRow]],
    [[{ ...tmpfs('/t'), mode: 0o7777 } as MountRow]],
    [[{ ...tmpfs('/t'), sizeBytes: 4096, inodeCount: 1 } as MountRow]],
    [[{ ...tmpfs('/t'), sizeBytes: MAX, inodeCount: 2 ** 31 - 1 } as MountRow]],
  ])('the least and the most', (mounts) => {
    expect(errorOf({ mounts })).toBeNull();
  });

  it.each<[string, unknown[], string, string]>([
    ['too many', many(129), '', 'size'],
    ['too long a file', [file(2 ** 20 + 1)], '[0].text', 'size'],
    ['a mode below 0', [{ ...tmpfs('/t'), mode: -1 }], '[0].mode', 'range'],
    ['a mode above all bits', [{ ...tmpfs('/t'), mode: 0o10000 }], '[0].mode', 'range'],
    ['less than a page', [{ ...tmpfs('/t'), sizeBytes: 4095 }], '[0].sizeBytes', 'range'],
    ['no inode', [{ ...tmpfs('/t'), inodeCount: 0 }], '[0].inodeCount', 'range'],
    ['more inodes than there are', [{ ...tmpfs('/t'), inodeCount: 2 ** 31 }], '[0].inodeCount', 'range'],
    ['a bind without a source', [{ kind: 'bind', target: '/t' }], '[0].source', 'required'],
    ['a tmpfs without a target', [{ kind: 'tmpfs' }], '[0].target', 'required'],
    ['a link without a target', [{ kind: 'symlink', to: 'x' }], '[0].target', 'required'],
    ['a link to nothing', [{ kind: 'symlink', target: '/t' }], '[0].to', 'required'],
    ['a folder without a target', [{ kind: 'dir' }], '[0].target', 'required'],
    ['a file without a target', [{ kind: 'file', text: '' }], '[0].target', 'required'],
  ])('%s', (_, mounts, field, rule) => {
    const error = errorOf({ mounts });
    expect([error?.field, error?.rule]).toEqual([`options.mounts${field}`, rule]);
  });

  it('a file has text that the helper can be given whole, and messages do not repeat it', () => {
    for (const [text, rule] of [
      ['hidden\0', 'nul'],
      ['hidden\ud800', 'format'],
    ]) {
      const error = errorOf({ mounts: [{ kind: 'file', target: '/f', text }] });
      expect([error?.field, error?.rule]).toEqual(['options.mounts[0].text', rule]);
      expect(error!.message).not.toContain('hidden');
    }
  });

  it('every row is looked at', () => {
    expect(errorOf({ mounts: [bind('/x'), bind('/')] })?.field).toBe('options.mounts[1].source');
  });
});

describe('maskPaths and proc', () => {
  it.each<[object]>([
    [{ maskPaths: ['/sys/firmware', '/proc/kcore', '/proc/sys/kernel', '/usr/lib'] }],
    [{ maskPaths: [] }],
    [{ maskPaths: Array(64).fill('/x') }],
    [{ proc: 'masked' }],
    [{ proc: 'none' }],
    [{ proc: 'writable' }],
  ])('%j is fine', (options) => {
    expect(errorOf(options)).toBeNull();
  });

  it.each<[object, string, string]>([
    [{ maskPaths: '/x' }, '.maskPaths', 'type'],
    [{ maskPaths: ['x'] }, '.maskPaths[0]', 'format'],
    [{ maskPaths: ['/x', 'x'] }, '.maskPaths[1]', 'format'],
    [{ maskPaths: ['/a/../b'] }, '.maskPaths[0]', 'format'],
    [{ maskPaths: ['/'] }, '.maskPaths[0]', 'format'],
    [{ maskPaths: ['/dev'] }, '.maskPaths[0]', 'format'],
    [{ maskPaths: ['/x', '/proc'] }, '.maskPaths[1]', 'format'],
    [{ maskPaths: ['/proc/self'] }, '.maskPaths[0]', 'format'],
    [{ maskPaths: ['/proc/1/environ'] }, '.maskPaths[0]', 'format'],
    [{ maskPaths: ['/tmp/x'] }, '.maskPaths[0]', 'format'],
    [{ maskPaths: ['/w'] }, '.maskPaths[0]', 'format'],
    [{ maskPaths: Array(65).fill('/x') }, '.maskPaths', 'size'],
    [{ proc: true }, '.proc', 'type'],
    [{ proc: 'rw' }, '.proc', 'choice'],
  ])('%j is refused', (options, field, rule) => {
    const error = errorOf(options);
    expect([error?.field, error?.rule]).toEqual([`options${field}`, rule]);
  });

  it('names of /proc that are not processes are not there', () => {
    expect(['/proc/kcore', '/proc/sys/x', '/proc/timer_list'].every(isHiddenProc)).toBe(true);
    expect(['/proc/self', '/proc/thread-self/x', '/proc/12', '/proc', '/procx'].some(isHiddenProc)).toBe(
      false,
    );
  });
});
