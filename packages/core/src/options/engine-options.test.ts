import { describe, expect, it } from 'vitest';
import { InvalidOptionsError } from '../errors.js';
import { FEATURES } from '../types/limits.js';
import { DEFAULT_MOUNTS } from './defaults.js';
import { validateEngineOptions } from './engine-options.js';

function errorOf(options: unknown): InvalidOptionsError | null {
  try {
    validateEngineOptions(options);
    return null;
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error;
    throw error;
  }
}

const bind = { kind: 'bind', source: '/usr' };

describe('validateEngineOptions', () => {
  it.each<[unknown]>([
    [undefined],
    [{}],
    [{ mounts: DEFAULT_MOUNTS }],
    [{ hostname: 'executor_server', domainname: '(none)', insideUid: 0, umask: 0, signalsToInit: 'ignore' }],
    [{ mounts: [] }],
    [{ ignoredSignals: [] }],
    [{ ignoredSignals: ['SIGHUP', 'SIGINT'] }],
    [
      {
        mounts: [
          { ...bind, target: '/x', writable: true, optional: true, recursive: true, executable: false },
        ],
      },
    ],
    [{ mounts: [{ kind: 'tmpfs', target: '/s', sizeBytes: 4096, inodeCount: 1, mode: 0o1777 }] }],
    [
      {
        mounts: [
          { kind: 'symlink', target: '/bin', to: 'usr/bin' },
          { kind: 'dir', target: '/srv' },
        ],
      },
    ],
    [{ mounts: [{ kind: 'file', target: '/etc/motd', text: '' }] }],
    [{ hostname: 'judge-1.local', workDir: '/home/user', parallelism: 1, maxSandboxes: 1, queueLength: 0 }],
    [{ readyCount: 0, limits: { cpuTimeMs: null }, ceilings: { memoryBytes: 2 ** 30 } }],
    [{ cgroup: 'auto', require: [], uidBase: 100_000, seccomp: 'strict' }],
    [{ allowSyscalls: ['ptrace', 'seccomp', 'io_setup', 'ptrace'] }],
    [{ allowSyscalls: [] }],
    [{ cgroup: '/sys/fs/cgroup/sbx', require: FEATURES }],
  ])('case %# is fine', (options) => {
    expect(errorOf(options)).toBeNull();
  });

  it.each<[unknown, string, string]>([
    [null, '', 'type'],
    [{ paralelism: 2 }, '.paralelism', 'unknown-key'],
    [{ parallelism: 0 }, '.parallelism', 'range'],
    [{ maxSandboxes: 65_537 }, '.maxSandboxes', 'range'],
    [{ queueLength: null }, '.queueLength', 'type'],
    [{ queueLength: Number.POSITIVE_INFINITY }, '.queueLength', 'range'],
    [{ readyCount: 5, maxSandboxes: 4 }, '.readyCount', 'conflict'],
    [{ parallelism: 5, maxSandboxes: 4 }, '.parallelism', 'conflict'],
    [{ uidBase: 2 ** 32 - 10, maxSandboxes: 16 }, '.uidBase', 'conflict'],
    // Host ids are counted up from it: past the last one comes root's.
    [{ uidBase: 2 ** 32 - 4 }, '.uidBase', 'conflict'],
    [{ uidBase: 2 ** 32 - 40, maxSandboxes: 16 }, '.uidBase', 'conflict'],
    [{ uidBase: 0 }, '.uidBase', 'range'],
    [{ uidBase: 1000 }, '.uidBase', 'range'],
    [{ limits: { processCount: 0 } }, '.limits.processCount', 'range'],
    [{ ceilings: { memory: 1 } }, '.ceilings.memory', 'unknown-key'],
    [{ hostname: '' }, '.hostname', 'format'],
    [{ hostname: 'a b' }, '.hostname', 'format'],
    [{ hostname: '-a' }, '.hostname', 'format'],
    [{ domainname: '' }, '.domainname', 'format'],
    [{ domainname: 'a b' }, '.domainname', 'format'],
    [{ domainname: 'x'.repeat(65) }, '.domainname', 'format'],
    [{ insideUid: -1 }, '.insideUid', 'range'],
    [{ insideUid: 65_534 }, '.insideUid', 'range'],
    [{ insideUid: '0' }, '.insideUid', 'type'],
    [{ umask: 0o1000 }, '.umask', 'range'],
    [{ signalsToInit: 'allow' }, '.signalsToInit', 'choice'],
    [{ ignoredSignals: 'SIGINT' }, '.ignoredSignals', 'type'],
    [{ ignoredSignals: ['SIGINT', 'SIGKILL'] }, '.ignoredSignals[1]', 'choice'],
    [{ ignoredSignals: ['SIG19'] }, '.ignoredSignals[0]', 'choice'],
    [{ ignoredSignals: ['SIGRTMIN+1'] }, '.ignoredSignals[0]', 'choice'],
    [{ ignoredSignals: [2] }, '.ignoredSignals[0]', 'choice'],
    [{ hostname: 'a\n127.0.0.1 b' }, '.hostname', 'format'],
    [{ hostname: 'x'.repeat(65) }, '.hostname', 'format'],
    [{ workDir: 'w' }, '.workDir', 'format'],
    [{ workDir: '/' }, '.workDir', 'format'],
    [{ workDir: '/w/' }, '.workDir', 'format'],
    [{ workDir: '/w/../x' }, '.workDir', 'format'],
    [{ workDir: '/proc/x' }, '.workDir', 'format'],
    [{ workDir: '/tmp' }, '.workDir', 'format'],
    [{ workDir: '/w\0' }, '.workDir', 'nul'],
    [{ workDir: '/w\ud800' }, '.workDir', 'format'],
    [{ cgroup: 'v2' }, '.cgroup', 'choice'],
    [{ cgroup: 5 }, '.cgroup', 'type'],
    [{ cgroup: '/sys/fs/cgroup/../..' }, '.cgroup', 'format'],
    [{ require: 'seccomp' }, '.require', 'type'],
    [{ require: ['secomp'] }, '.require[0]', 'choice'],
    [{ seccomp: false }, '.seccomp', 'type'],
    [{ allowSyscalls: 'ptrace' }, '.allowSyscalls', 'type'],
    [{ allowSyscalls: ['ptrace', 'mount'] }, '.allowSyscalls[1]', 'choice'],
    [{ allowSyscalls: ['__proto__'] }, '.allowSyscalls[0]', 'choice'],
    [{ mounts: {} }, '.mounts', 'type'],
    [{ mounts: [null] }, '.mounts[0]', 'type'],
    [{ mounts: [{}] }, '.mounts[0].kind', 'type'],
    [{ mounts: [{ kind: 'bnd', source: '/x' }] }, '.mounts[0].kind', 'choice'],
    [{ mounts: [bind, { kind: 'bind' }] }, '.mounts[1].source', 'required'],
    [{ mounts: [{ ...bind, source: 'usr' }] }, '.mounts[0].source', 'format'],
    [{ mounts: [{ ...bind, target: '/a/../b' }] }, '.mounts[0].target', 'format'],
    [{ mounts: [{ ...bind, target: '/a//b' }] }, '.mounts[0].target', 'format'],
    [{ mounts: [{ ...bind, readonly: true }] }, '.mounts[0].readonly', 'unknown-key'],
    [{ mounts: [{ kind: 'tmpfs', target: '/t', sizeBytes: 0 }] }, '.mounts[0].sizeBytes', 'range'],
    [{ mounts: [{ kind: 'symlink', target: '/t', to: '' }] }, '.mounts[0].to', 'format'],
    [{ mounts: [{ kind: 'file', target: '/t' }] }, '.mounts[0].text', 'required'],
    [{ mounts: [{ kind: 'dir', target: '/t', mode: 0o10000 }] }, '.mounts[0].mode', 'range'],
    [{ mounts: Array(1025).fill(bind) }, '.mounts', 'size'],
  ])('case %# is refused', (options, path, rule) => {
    const error = errorOf(options);
    expect([error?.field, error?.rule]).toEqual([`options${path}`, rule]);
  });

  it('names the nearest feature', () => {
    expect(errorOf({ require: ['memory-limits'] })?.hint).toBe("Did you mean 'memory-limit'?");
  });
});

it.each([
  ['timeout', 'Give limits: { wallTimeMs } (real time)'],
  ['concurrency', 'Give parallelism: the programs that run at once'],
  ['maxConcurrency', 'Give parallelism: the programs that run at once'],
  ['workers', 'Give parallelism: the programs that run at once'],
  ['memory', 'Did you mean limits: { memoryBytes: … }?'],
  ['env', 'Give it to run, spawn or Sandbox.create.'],
  ['cwd', 'Give it to run or spawn.'],
])('%s is of programs, and said to be', (key, hint) => {
  expect(errorOf({ [key]: 5 })?.hint).toContain(hint);
});
