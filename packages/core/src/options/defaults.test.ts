import { describe, expect, it } from 'vitest';
import { checkEnv } from './argv.js';
import { DEFAULT_ENV, DEFAULT_MOUNTS, defaultMounts } from './defaults.js';

const targets = DEFAULT_MOUNTS.map((row) => (row.kind === 'bind' ? row.source : row.target));
const textOf = (mounts: typeof DEFAULT_MOUNTS, target: string) =>
  mounts.flatMap((row) => (row.kind === 'file' && row.target === target ? [row.text] : [])).join('');

describe('DEFAULT_ENV', () => {
  it('is the documented minimum, frozen and legal', () => {
    expect(DEFAULT_ENV).toEqual({
      PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/opt/sbx/bin',
      HOME: '/w',
      LANG: 'C.UTF-8',
    });
    expect(Object.isFrozen(DEFAULT_ENV)).toBe(true);
    expect(checkEnv(DEFAULT_ENV)).toBeNull();
  });
});

describe('DEFAULT_MOUNTS', () => {
  it('is frozen through and through', () => {
    expect([DEFAULT_MOUNTS, ...DEFAULT_MOUNTS].every((row) => Object.isFrozen(row))).toBe(true);
  });

  it('names no target twice', () => {
    expect(new Set(targets).size).toBe(targets.length);
  });

  it('binds nothing writable, and of /etc only named parts', () => {
    for (const row of DEFAULT_MOUNTS) {
      if (row.kind !== 'bind') continue;
      expect(row.writable ?? false).toBe(false);
      expect(row.executable ?? false, row.source).toBe(!row.source.startsWith('/etc/'));
      expect(row.optional ?? false, row.source).toBe(row.source !== '/usr');
    }
    for (const path of [
      '/etc',
      '/etc/ssl',
      '/etc/ssl/private',
      '/etc/shadow',
      '/etc/resolv.conf',
      '/home',
      '/root',
    ]) {
      expect(targets).not.toContain(path);
    }
  });

  it('generates accounts and names instead of showing the host’s', () => {
    expect(textOf(DEFAULT_MOUNTS, '/etc/passwd')).toContain('\nsandbox:x:1000:1000:sandbox:/w:/bin/sh\n');
    expect(textOf(DEFAULT_MOUNTS, '/etc/group')).toContain('\nsandbox:x:1000:\n');
    expect(textOf(DEFAULT_MOUNTS, '/etc/hosts')).toContain('127.0.0.1 localhost sandbox\n');
    expect(textOf(DEFAULT_MOUNTS, '/etc/hostname')).toBe('sandbox\n');
    expect(textOf(DEFAULT_MOUNTS, '/etc/nsswitch.conf')).toContain('hosts: files\n');
  });

  it('follows another host name and work folder', () => {
    const mounts = defaultMounts('judge', '/home/user');
    expect(textOf(mounts, '/etc/hostname')).toBe('judge\n');
    expect(textOf(mounts, '/etc/hosts')).toContain('localhost judge');
    expect(textOf(mounts, '/etc/passwd')).toContain(':/home/user:');
    expect(mounts).toHaveLength(DEFAULT_MOUNTS.length);
  });
});
