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

  it('the work folder is where the engine has it', () => {
    expect(errorOf({ mounts: [tmpfs('/w/x')], workDir: '/home' })).toBeNull();
    expect(errorOf({ mounts: [bind('/x', '/home/x')], workDir: '/home' })?.field).toBe(
      'options.mounts[0].target',
    );
  });
});

describe('maskPaths and proc', () => {
  it.each<[object]>([
    [{ maskPaths: ['/sys/firmware', '/proc/kcore', '/proc/sys/kernel', '/usr/lib'] }],
    [{ maskPaths: [] }],
    [{ proc: 'masked' }],
    [{ proc: 'none' }],
    [{ proc: 'writable' }],
  ])('%j is fine', (options) => {
    expect(errorOf(options)).toBeNull();
  });

  it.each<[object, string, string]>([
    [{ maskPaths: '/x' }, '.maskPaths', 'type'],
    [{ maskPaths: ['x'] }, '.maskPaths[0]', 'format'],
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
