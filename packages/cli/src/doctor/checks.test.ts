import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UnsupportedError } from '@sbx/core';
import { describe, expect, test } from 'vitest';
import { machineChecks } from './checks.js';
import { delegationCommand } from './delegation.js';
import type { Facts } from './facts.js';
import type { Trial } from './types.js';

const good: Facts = {
  platform: 'linux',
  arch: 'x64',
  glibc: '2.36',
  node: '20.19.0',
  kernel: '6.1.0-20-amd64',
  uid: 1000,
  hasSysAdmin: false,
  maxUserNamespaces: 15_000,
  unprivilegedUsernsClone: 1,
  apparmorRestrictsUserns: 0,
  seccompMode: 0,
  canFilterSyscalls: true,
  container: null,
  hasSystemd: true,
  swapBytes: 0,
  memoryBytes: 2048 * 2 ** 20,
  cpus: 8,
  corePattern: '|/usr/lib/systemd/systemd-coredump %P',
  moduleLoader: '',
  cgroup: {
    version: 'v2',
    controllers: ['cpu', 'memory', 'pids'],
    folders: ['/sys/fs/cgroup/a'],
    unwritable: [],
    hasSwapLimit: true,
    tasksMax: null,
  },
};
const refused: Trial = { kind: 'refused', error: new Error('x'), info: null, bareError: null };

const missingIn = (changes: Partial<Facts>, trial: Trial = refused) =>
  machineChecks({ ...good, ...changes }, trial)
    .filter(({ state }) => state === 'missing')
    .map(({ id, required }) => `${id}${required ? '' : ' (optional)'}`);

test('a good machine misses nothing', () => {
  expect(missingIn({})).toEqual([]);
});

const root = { uid: 0, hasSysAdmin: true };
const cases: [string, Partial<Facts>, string[]][] = [
  ['another system', { platform: 'darwin', glibc: null }, ['platform']],
  ['another machine', { arch: 'riscv64' }, ['platform']],
  ['an old glibc', { glibc: '2.17' }, ['platform']],
  ['an old Node', { node: '18.20.0' }, ['node']],
  ['an old kernel', { kernel: '5.4.0-100' }, ['kernel']],
  ['no user namespaces', { maxUserNamespaces: 0 }, ['user-namespaces']],
  ['a container with less memory than its CPUs need', { memoryBytes: 2047 * 2 ** 20 }, ['memory (optional)']],
  [
    'a container with fewer processes than its CPUs need',
    { cgroup: { ...good.cgroup, tasksMax: 559 } },
    ['processes (optional)'],
  ],
  ['a container with as many', { cgroup: { ...good.cgroup, tasksMax: 560 } }, []],
  ['Debian’s switch, for a user', { unprivilegedUsernsClone: 0 }, ['unprivileged-userns-clone']],
  ['Debian’s switch, for root', { ...root, unprivilegedUsernsClone: 0 }, []],
  ['Ubuntu’s AppArmor, for a user', { apparmorRestrictsUserns: 1 }, ['apparmor-userns']],
  ['Ubuntu’s AppArmor, for root', { ...root, apparmorRestrictsUserns: 1 }, []],
  ['root without CAP_SYS_ADMIN', { uid: 0 }, ['sys-admin (optional)']],
  [
    'dumps to a socket',
    { kernel: '6.16.1', corePattern: '@/run/systemd/coredump' },
    ['core-dumps (optional)'],
  ],
  ['dumps to a file whose name begins so', { kernel: '6.12.0', corePattern: '@core' }, []],
  ['a loader of modules', { moduleLoader: '/sbin/modprobe' }, ['module-loader (optional)']],
  ['a loader that no program starts', { kernel: '6.14.0', moduleLoader: '/sbin/modprobe' }, []],
  ['no modules', { moduleLoader: null }, []],
  ['no cgroups', { cgroup: { ...good.cgroup, version: 'none', controllers: [] } }, ['cgroup-controllers']],
  [
    'no memory controller',
    { cgroup: { ...good.cgroup, controllers: ['cpu', 'pids'] } },
    ['cgroup-controllers'],
  ],
  ['a read-only cgroup', { cgroup: { ...good.cgroup, unwritable: ['/sys/fs/cgroup'] } }, ['cgroup-writable']],
  [
    'unbounded swap',
    { swapBytes: 1, cgroup: { ...good.cgroup, hasSwapLimit: false } },
    ['swap-limit (optional)'],
  ],
];
test('musl and arm64 are as good', () => {
  expect(missingIn({ glibc: null, arch: 'arm64' })).toEqual([]);
});

describe('a cgroup of one’s own is a command away', () => {
  const v1: Facts['cgroup'] = {
    ...good.cgroup,
    version: 'hybrid',
    folders: ['/cg/memory/a', '/cg/cpuset/a', '/cg/pids/a'],
  };
  const places: [string, Partial<Facts>, string | undefined][] = [
    ['with systemd', {}, 'systemd-run --user --scope -p Delegate=yes -- COMMAND'],
    [
      'in Docker',
      { container: 'docker' },
      'docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined --security-opt writable-cgroups=true IMAGE',
    ],
    ['in Kubernetes', { container: 'kubernetes' }, undefined],
    ['with v2 and no systemd', { hasSystemd: false }, undefined],
    [
      'with v1',
      { cgroup: v1 },
      'sudo sh -c \'for folder in /cg/memory/a /cg/pids/a; do mkdir -p "$folder/sbx-1000"; chown -R 1000 "$folder/sbx-1000"; echo "$0" > "$folder/sbx-1000/cgroup.procs"; done\' $$',
    ],
  ];
  test.each(places)('%s', (_place, changes, command) => {
    expect(delegationCommand({ ...good, ...changes })).toBe(command);
  });

  test('of a group with an odd name', () => {
    const base = mkdtempSync(join(tmpdir(), 'delegation-test-'));
    const folder = join(base, 'memory', `app\\x2d it's "$(touch ${base}/no)"`);
    const [uid, gone] = [process.getuid!(), join(base, 'no')];
    const command = delegationCommand({ ...good, uid, cgroup: { ...v1, folders: [folder] } })!;
    execFileSync('sh', ['-c', command.replace(/^sudo /, '')]);
    expect(readFileSync(join(folder, `sbx-${uid}`, 'cgroup.procs'), 'utf8')).toMatch(/^\d+\n$/);
    expect(existsSync(gone)).toBe(false);
    rmSync(base, { recursive: true });
  });
});

describe('each thing that is missing has a row', () => {
  test.each(cases)('%s', (_name, changes, rows) => {
    expect(missingIn(changes)).toEqual(rows);
  });

  test('an addon that does not load', () => {
    const error = new UnsupportedError({
      code: 'SBX_NATIVE_UNAVAILABLE',
      message: 'No addon.',
      hint: 'Install.',
    });
    expect(missingIn({}, { kind: 'refused', error, info: null, bareError: null })).toEqual(['native']);
  });
});

test('every row that is missing says why and how to mend it', () => {
  const all = machineChecks(
    { ...good, ...Object.assign({}, ...cases.map(([, changes]) => changes)) },
    refused,
  );
  for (const check of all.filter(({ state }) => state === 'missing')) {
    expect(check.why.length, check.id).toBeGreaterThan(20);
    expect(check.fix?.length, check.id).toBeGreaterThan(10);
    expect(`${check.found} ${check.fix}`, check.id).not.toMatch(/NaN|undefined/);
  }
});
