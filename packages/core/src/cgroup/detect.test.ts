import { describe, expect, it } from 'vitest';
import { detectCgroups } from './detect.js';

const HYBRID_MOUNTS = [
  '24 1 0:22 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct',
  '25 1 0:23 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory',
  '26 1 0:24 / /sys/fs/cgroup/freezer rw,relatime - cgroup cgroup rw,freezer',
  '27 1 0:25 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw',
].join('\n');

describe('detectCgroups', () => {
  it('v1: the controllers of each hierarchy, ours alone; a path that is not there falls back to the mount', () => {
    const own = '4:cpu,cpuacct:/none/such\n3:memory:/\n2:freezer:/\n0::/\n';
    const { v1, v2 } = detectCgroups(HYBRID_MOUNTS, own);
    expect(v1).toEqual([
      {
        controllers: ['cpu', 'cpuacct'],
        point: '/sys/fs/cgroup/cpu,cpuacct',
        folder: '/sys/fs/cgroup/cpu,cpuacct',
      },
      {
        controllers: ['memory'],
        point: '/sys/fs/cgroup/memory',
        folder: expect.stringMatching(/^\/sys\/fs\/cgroup\/memory\/?$/),
      },
    ]);
    expect(v2?.point).toBe('/sys/fs/cgroup/unified');
  });

  it('v2: our folder below the mount', () => {
    const { v1, v2 } = detectCgroups('30 1 0:26 / / rw - cgroup2 cgroup2 rw', '0::/tmp\n');
    expect(v1).toEqual([]);
    expect(v2).toEqual({ controllers: [], point: '/', folder: '/tmp' });
  });

  it('a container sees a part of the tree: the path is named from its top', () => {
    const { v2 } = detectCgroups('30 1 0:26 /docker/abc / rw - cgroup2 cgroup2 rw', '0::/docker/abc/tmp\n');
    expect(v2?.folder).toBe('/tmp');
  });

  it('spaces in paths are decoded, odd lines are left out', () => {
    expect(detectCgroups('31 1 0:27 / /a\\040b rw - cgroup2 cgroup2 rw\nnonsense\n', '').v2?.point).toBe(
      '/a b',
    );
    expect(detectCgroups('', '')).toEqual({ v1: [], v2: null });
  });
});
