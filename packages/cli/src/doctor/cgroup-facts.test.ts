import { describe, expect, test } from 'vitest';
import { cgroupFacts } from './cgroup-facts.js';

const read = (files: Record<string, string>) => (path: string) => files[path] ?? null;
const always = () => true;

const V2_MOUNT = '30 25 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate';
const v2 = (own: string, files: Record<string, string> = {}) =>
  read({ '/proc/self/mountinfo': `${V2_MOUNT}\n`, '/proc/self/cgroup': `0::${own}\n`, ...files });

describe('v2', () => {
  test('controllers are those of our own group', () => {
    const files = {
      '/sys/fs/cgroup/user.slice/cgroup.controllers': 'cpu memory pids\n',
      '/sys/fs/cgroup/user.slice/memory.swap.max': 'max\n',
    };
    expect(cgroupFacts(v2('/user.slice', files), always)).toEqual({
      version: 'v2',
      controllers: ['cpu', 'memory', 'pids'],
      folders: ['/sys/fs/cgroup/user.slice'],
      unwritable: [],
      hasSwapLimit: true,
      tasksMax: null,
    });
  });

  test('the tightest bound of processes around us is ours', () => {
    const root = '/sys/fs/cgroup';
    const max = (own: string, above: string, top: string) => {
      const files = {
        [`${root}/a/b/pids.max`]: own,
        [`${root}/a/pids.max`]: above,
        [`${root}/pids.max`]: top,
      };
      return cgroupFacts(v2('/a/b', files), always).tasksMax;
    };
    expect(max('max\n', '300\n', '200\n')).toBe(200);
    expect(max('100\n', '300\n', 'max\n')).toBe(100);
    expect(max('100\n', '30\n', '200\n')).toBe(30);
    expect(max('max\n', 'max\n', 'max\n')).toBeNull();
  });

  test('the root group does not say whether swap is bounded', () => {
    const facts = cgroupFacts(v2('/', { '/sys/fs/cgroup/cgroup.controllers': 'memory' }), always);
    expect(facts.hasSwapLimit).toBeNull();
  });

  test('a read-only mount is not writable, whatever the permissions', () => {
    const mountinfo = V2_MOUNT.replace(' rw,nosuid ', ' ro,nosuid ');
    const facts = cgroupFacts(
      read({ '/proc/self/mountinfo': mountinfo, '/proc/self/cgroup': '0::/' }),
      always,
    );
    expect(facts.unwritable).toEqual(['/sys/fs/cgroup/']);
  });

  test('a group of somebody else is not writable', () => {
    expect(cgroupFacts(v2('/a'), () => false).unwritable).toEqual(['/sys/fs/cgroup/a']);
  });
});

const V1_MOUNTS = [
  '40 30 0:30 / /cg/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
  '41 30 0:31 /docker/1 /cg/memory rw,relatime - cgroup cgroup rw,memory',
  '42 30 0:32 / /cg/systemd rw - cgroup cgroup rw,xattr,name=systemd',
].join('\n');
const V1_OWN = '5:cpu,cpuacct:/x\n4:memory:/docker/1/y\n1:name=systemd:/\n';

describe('v1', () => {
  test('controllers are those that are mounted, folders follow the mount’s root', () => {
    expect(
      cgroupFacts(read({ '/proc/self/mountinfo': V1_MOUNTS, '/proc/self/cgroup': V1_OWN }), always),
    ).toEqual({
      version: 'v1',
      controllers: ['cpu', 'cpuacct', 'memory'],
      folders: ['/cg/cpu,cpuacct/x', '/cg/memory/y'],
      unwritable: [],
      hasSwapLimit: false,
      tasksMax: null,
    });
  });

  test('processes are bounded where their controller is mounted', () => {
    const files = {
      '/proc/self/mountinfo': `${V1_MOUNTS}\n43 30 0:33 /docker/1 /cg/pids rw - cgroup cgroup rw,pids`,
      '/proc/self/cgroup': `${V1_OWN}6:pids:/docker/1/z\n`,
      '/cg/memory/pids.max': '1',
      '/cg/pids/z/pids.max': 'max\n',
      '/cg/pids/pids.max': '512\n',
    };
    expect(cgroupFacts(read(files), always).tasksMax).toBe(512);
  });

  test('beside a cgroup2 mount it is hybrid, and swap accounting shows', () => {
    const facts = cgroupFacts(
      read({
        '/proc/self/mountinfo': `${V1_MOUNTS}\n${V2_MOUNT}`,
        '/proc/self/cgroup': V1_OWN,
        '/cg/memory/memory.memsw.limit_in_bytes': '1',
      }),
      always,
    );
    expect(facts).toMatchObject({ version: 'hybrid', hasSwapLimit: true });
  });
});

test('none', () => {
  expect(cgroupFacts(read({}), always)).toEqual({
    version: 'none',
    controllers: [],
    folders: [],
    unwritable: [],
    hasSwapLimit: null,
    tasksMax: null,
  });
});
