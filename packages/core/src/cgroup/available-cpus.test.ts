import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { availableCpus, cpuQuota } from './available-cpus.js';
import type { CgroupMounts, Hierarchy } from './detect.js';

const at = (point: string, folder: string, controllers: string[] = []): Hierarchy => ({
  controllers,
  point,
  folder,
});

function quota(mounts: Partial<CgroupMounts>, files: Record<string, string>): number {
  return cpuQuota(
    () => ({ v1: [], v2: null, ...mounts }),
    (path) => files[path] ?? '',
  );
}

describe('the CPU quota around this process', () => {
  const v2 = at('/cg', '/cg/pod/app');
  test.each([
    ['its own', { '/cg/pod/app/cpu.max': '150000 100000\n' }, 1.5],
    [
      'that of a group around it',
      { '/cg/pod/app/cpu.max': 'max 100000\n', '/cg/pod/cpu.max': '200000 100000\n' },
      2,
    ],
    ['the tightest', { '/cg/pod/app/cpu.max': '300000 100000', '/cg/cpu.max': '100000 50000' }, 2],
    ['none', { '/cg/pod/app/cpu.max': 'max 100000\n' }, Number.POSITIVE_INFINITY],
    ['none that can be read', {}, Number.POSITIVE_INFINITY],
  ])('v2: %s', (_which, files, expected) => {
    expect(quota({ v2 }, files as Record<string, string>)).toBe(expected);
  });

  const v1 = [at('/cg/memory', '/cg/memory/x', ['memory']), at('/cg/cpu', '/cg/cpu/x', ['cpu', 'cpuacct'])];
  test.each([
    ['its own', { '/cg/cpu/x/cpu.cfs_quota_us': '50000\n', '/cg/cpu/x/cpu.cfs_period_us': '100000\n' }, 0.5],
    [
      'that of a group around it',
      {
        ...{ '/cg/cpu/x/cpu.cfs_quota_us': '-1\n', '/cg/cpu/x/cpu.cfs_period_us': '100000\n' },
        ...{ '/cg/cpu/cpu.cfs_quota_us': '400000\n', '/cg/cpu/cpu.cfs_period_us': '100000\n' },
      },
      4,
    ],
    ['none', { '/cg/cpu/x/cpu.cfs_quota_us': '-1', '/cg/cpu/x/cpu.cfs_period_us': '100000' }, Infinity],
  ])('v1: %s', (_which, files, expected) => {
    expect(quota({ v1, v2 }, files as Record<string, string>)).toBe(expected);
  });

  test('without cgroups, and without /proc, there is none', () => {
    expect(quota({}, {})).toBe(Number.POSITIVE_INFINITY);
    const gone = () => {
      throw new Error('ENOENT');
    };
    expect(cpuQuota(gone)).toBe(Number.POSITIVE_INFINITY);
  });
});

test('programs have at least one CPU, and no more than this process', () => {
  expect(availableCpus()).toBeGreaterThanOrEqual(1);
  expect(availableCpus()).toBeLessThanOrEqual(availableParallelism());
});
