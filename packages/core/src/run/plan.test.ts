import { describe, expect, it } from 'vitest';
import type { Group } from '../cgroup/group.js';
import { V1 } from '../cgroup/layout.js';
import { DEFAULT_LIMITS, resolveLimits } from '../options/limits.js';
import { SlotCgroup } from '../pool/slot-cgroup.js';
import {
  boundGroup,
  checkOpenFiles,
  cpusOf,
  nanoseconds,
  rlimitsFor,
  searchPaths,
  searchPathsCwdFirst,
  taskRlimit,
} from './plan.js';

const limitsWith = (limits: object) => resolveLimits(DEFAULT_LIMITS, limits);
const NOFILE = 7;
const CPU = 0;

/** Soft and hard of one resource. */
function rlimit(limits: object, resource: number, backstop: boolean): number[] {
  const rows = rlimitsFor(limitsWith(limits), 4096, backstop);
  const at = rows.findIndex((value, index) => index % 3 === 0 && value === resource);
  return at < 0 ? [] : rows.slice(at + 1, at + 3);
}

describe('rlimits', () => {
  it.each([
    ['no CPU limit of the kernel’s beside init’s', { cpuTimeMs: 1001 }, CPU, [-1, -1]],
    ['open files', { openFileCount: 10 }, NOFILE, [10, 10]],
    ['no limit of open files is the host’s own', { openFileCount: null }, NOFILE, [4096, 4096]],
    ['data', { dataBytes: 4096 }, 2, [4096, 4096]],
    ['no data limit is none set', {}, 2, []],
    ['none of core dumps, which the helper has already', {}, 4, []],
  ])('%s', (_, limits, resource, expected) => {
    expect(rlimit(limits, resource, false)).toEqual(expected);
  });

  it('each with its number in the kernel, soft and hard alike', () => {
    const limits = limitsWith({
      fileBytes: 101,
      dataBytes: 102,
      stackBytes: 131_073,
      openFileCount: 104,
      addressSpaceBytes: 2 ** 20 + 5,
    });
    const rows = rlimitsFor(limits, 4096, false);
    const found = Array.from({ length: rows.length / 3 }, (_, index) => rows.slice(3 * index, 3 * index + 3));
    expect(found.sort(([a], [b]) => a! - b!)).toEqual(
      [
        [CPU, -1],
        [1, 101], // FSIZE
        [2, 102], // DATA
        [3, 131_073], // STACK
        [NOFILE, 104],
        [8, 65_536], // MEMLOCK
        [9, 2 ** 20 + 5], // AS
        [11, 1024], // SIGPENDING
        [12, 0], // MSGQUEUE
        [13, 0], // NICE
        [14, 0], // RTPRIO
      ].map(([resource, value]) => [resource, value, value]),
    );
  });

  it('without a cgroup the kernel’s CPU limit stands whole seconds above', () => {
    expect(rlimit({ cpuTimeMs: 1001 }, CPU, true)).toEqual([4, 4]);
    expect(rlimit({ cpuTimeMs: null }, CPU, true)).toEqual([-1, -1]);
  });

  it('processes once more, where they can be told from others', () => {
    expect(taskRlimit(limitsWith({ processCount: 8 }), 0, true)).toEqual([6, 8, 8]);
    expect(taskRlimit(limitsWith({ processCount: 8 }), 2, true)).toEqual([6, 10, 10]);
    expect(taskRlimit(limitsWith({ processCount: 8 }), 2, false)).toEqual([6, 1026, 1026]);
    expect(taskRlimit(limitsWith({ processCount: 2000 }), 2, false)).toEqual([6, 2002, 2002]);
    expect(taskRlimit(limitsWith({ processCount: 8 }), null, true)).toEqual([]);
    expect(taskRlimit(limitsWith({ processCount: null }), 0, true)).toEqual([]);
  });

  it('more open files than the host may have are refused by name', () => {
    checkOpenFiles(limitsWith({ openFileCount: 4096 }), 4096);
    expect(() => checkOpenFiles(limitsWith({ openFileCount: 5000 }), 4096)).toThrow(
      expect.objectContaining({ code: 'SBX_INVALID_OPTIONS', field: 'options.limits.openFileCount' }),
    );
  });
});

describe('searchPaths', () => {
  it.each([
    ['/bin/sh', '/usr/bin', ['/bin/sh']],
    ['./a', '/usr/bin', ['./a']],
    ['cc', '/a:/b', ['/a/cc', '/b/cc']],
    ['cc', ':/b', ['cc', '/b/cc']],
    ['cc', undefined, ['cc']],
  ])('%s in %s', (file, path, expected) => {
    expect(searchPaths(file, path)).toEqual(expected);
  });
});

describe('searchPathsCwdFirst', () => {
  it.each([
    ['/bin/sh', '/usr/bin', ['/bin/sh']],
    ['./a', '/usr/bin', ['./a']],
    ['cc', '/a:/b/', ['cc', '/a/cc', '/b/cc']],
    ['cc', ':/b', ['cc', 'cc', '/b/cc']],
    ['cc', 'bin', ['cc', 'bin/cc']],
    ['cc', '', ['cc']],
    ['cc', undefined, ['cc']],
  ])('%s in %s', (file, path, expected) => {
    expect(searchPathsCwdFirst(file, path)).toEqual(expected);
  });
});

describe('boundGroup', () => {
  const KiB = 1024;
  const group = { layout: V1, has: () => true } as unknown as Group;
  const cgroup = Object.assign(new SlotCgroup(null, 0), { group });
  const writes = (memoryBytes: number, heldBytes?: number, of = group) =>
    boundGroup(cgroup, of, limitsWith({ memoryBytes }), heldBytes).writeTexts;
  const MEMORY = 64 * KiB * KiB;
  const PIDS = '66';

  it('writes what is not in force', () => {
    expect(writes(MEMORY)).toEqual(['-1', `${MEMORY}`, `${MEMORY}`, `${MEMORY}`, PIDS]);
    expect(writes(MEMORY)).toEqual([]);
    expect(writes(MEMORY, 700 * KiB)).toContain(`${MEMORY + 700 * KiB}`);
    expect(writes(MEMORY, 700 * KiB)).toEqual([]);
    expect(writes(MEMORY, 500 * KiB)).toContain(`${MEMORY + 500 * KiB}`);
    expect(writes(MEMORY)).toContain(`${MEMORY}`);
  });

  it('a group of a program’s own is always written, without the helpers', () => {
    const member = { ...group } as Group;
    for (const _ of [1, 2])
      expect(writes(MEMORY, 0, member)).toEqual(expect.arrayContaining([`${MEMORY}`, '64']));
  });
});

describe('numbers', () => {
  it('CPUs are bounded by the machine, and by a set that is kept', () => {
    expect(cpusOf(limitsWith({}), 8, true)).toBe(8);
    expect(cpusOf(limitsWith({ cpuSet: '0,2-3' }), 8, true)).toBe(3);
    expect(cpusOf(limitsWith({ cpuSet: '0,2-3' }), 8, false)).toBe(8);
    expect(cpusOf(limitsWith({ cpuRate: 0.5 }), 8, true)).toBe(8);
  });

  it('ms to ns; none is 0', () => {
    expect([nanoseconds(1.5), nanoseconds(null)]).toEqual([1_500_000, 0]);
  });
});
