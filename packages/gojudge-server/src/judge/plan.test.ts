import { describe, expect, it } from 'vitest';
import { StartFailure } from '../errors.js';
import type { JobLimits, JobProgram } from './job.js';
import { planProgram } from './plan.js';
import type { RunScope } from './scope.js';
import type { Settings } from './settings.js';

const MiB = 2 ** 20;
const SETTINGS = {
  extraMemoryBytes: 16 * 1024,
  outputLimitBytes: 256 * MiB,
  openFileLimit: 256,
  enableCpuRate: true,
  diskBytes: 128 * MiB,
  diskFileCount: 4096,
  ownStackBytes: 8 * MiB,
  workDir: '/w',
  env: ['HOST=1'],
  tickMs: 0,
  collectMaxBytes: MiB,
  runnerConfig: { cgroupType: 2 },
} as unknown as Settings;
const LIMITS: JobLimits = {
  cpuNs: 2e9,
  clockNs: 3e9,
  explicitClockNs: 3e9,
  memoryBytes: 64 * MiB,
  stackBytes: 0,
  processCount: 5,
  cpuRate: 0,
  cpuSet: '',
  dataSegment: false,
  addressSpace: false,
};

function plan(program: Partial<JobProgram>, settings: Partial<Settings> = {}, cpuSet: string | null = null) {
  const scope = {
    settings: { ...SETTINGS, ...settings },
    cpuSet,
    budget: { totalBytes: 100, shareBytes: 50, leftBytes: 100 },
  } as unknown as RunScope;
  const whole: JobProgram = {
    args: ['/bin/true', 'x'],
    env: ['A=1'],
    files: [],
    tty: false,
    limits: LIMITS,
    copyIn: [],
    copyOut: [],
    cachedNames: new Set(),
    copyOutMax: 100,
    truncate: false,
    ...program,
  };
  const planned = planProgram(scope, whole, 0, new Set());
  if (planned instanceof Promise) throw new Error('nothing is to be waited for');
  return planned;
}

const limitsOf = (
  limits: Partial<JobLimits>,
  settings: Partial<Settings> = {},
  cpuSet: string | null = null,
) => plan({ limits: { ...LIMITS, ...limits } }, settings, cpuSet).request!.limits!;

function failureOf(program: Partial<JobProgram>, settings: Partial<Settings> = {}): string {
  const { failure } = plan(program, settings);
  expect(failure).toBeInstanceOf(StartFailure);
  return (failure as StartFailure).message;
}

describe('the program', () => {
  it('has the server’s variables before its own, and is looked for in the working folder first', () => {
    const { request, failure } = plan({});
    expect(failure).toBeNull();
    expect(request).toMatchObject({
      file: '/bin/true',
      args: ['x'],
      env: ['HOST=1', 'A=1'],
      lookup: 'cwd-first',
      copyOutTotalBytes: 50,
    });
    expect(Object.keys(request!)).not.toContain('files');
    expect(Object.keys(request!)).not.toContain('copyOut');
  });

  it.each([
    ['no arguments', { args: [] }, 'execve: recvReply recv msg: read unixpacket @->@: EOF'],
    ['no name', { args: [''] }, 'start: : execve: no such file or directory'],
    ['NUL in an argument', { args: ['a', '\0'] }, 'execve: start: a: invalid argument'],
    ['NUL in a variable', { env: ['A=\0'] }, 'execve: start: /bin/true: invalid argument'],
    [
      'a terminal without a first descriptor',
      { tty: true },
      'execve: start: /bin/true: ioctl: inappropriate ioctl for device',
    ],
  ])('with %s it is not started, in go-judge’s words', (_, program, message) => {
    expect(failureOf(program)).toBe(message);
  });
});

describe('limits', () => {
  it('are in ms and bytes; the kernel gets a little more memory than is judged by', () => {
    expect(limitsOf({})).toEqual({
      cpuTimeMs: 2000,
      wallTimeMs: 3000,
      memoryBytes: 64 * MiB + 16 * 1024,
      dataBytes: null,
      addressSpaceBytes: null,
      processCount: 5,
      stackBytes: 8 * MiB,
      fileBytes: 256 * MiB,
      openFileCount: 256,
      diskBytes: 128 * MiB,
      diskFileCount: 4096,
      cpuRate: null,
      cpuSet: null,
    });
  });

  it.each([
    [
      'no time is the least that the engine takes',
      { cpuNs: 0, clockNs: 0 },
      { cpuTimeMs: 0.001, wallTimeMs: 0.001 },
    ],
    ['the longest time is the most that it takes', { cpuNs: 1e30 }, { cpuTimeMs: 9_000_000_000 }],
    ['no memory is a page, with what is added', { memoryBytes: 0 }, { memoryBytes: 16 * 1024 }],
    ['no processes are one', { processCount: 0 }, { processCount: 1 }],
    ['a stack is at least what exec needs', { stackBytes: 1 }, { stackBytes: 131_072 }],
    ['and at most the memory', { stackBytes: 1e12 }, { stackBytes: 64 * MiB + 16 * 1024 }],
    ['data are bounded on request', { dataSegment: true }, { dataBytes: 64 * MiB + 16 * 1024 }],
    ['addresses as well', { addressSpace: true }, { addressSpaceBytes: 64 * MiB + 16 * 1024 }],
    ['1000 is one CPU', { cpuRate: 500 }, { cpuRate: 0.5 }],
    ['the program’s CPUs count before its worker’s', { cpuSet: '3' }, { cpuSet: '3' }],
  ])('%s', (_, limits, expected) => {
    expect(limitsOf(limits, {}, '1')).toMatchObject(expected);
  });

  it('the worker’s CPUs are those of a program that names none', () => {
    expect(limitsOf({}, {}, '1').cpuSet).toBe('1');
  });

  it('lists of CPUs are read as the kernel reads them', () => {
    expect(limitsOf({}, {}, '0,').cpuSet).toBe('0');
    expect(limitsOf({ cpuSet: '0-2:1/2 5,' }, {}, '1').cpuSet).toBe('0,2,5');
    expect(limitsOf({ cpuSet: ',' }, {}, '1').cpuSet).toBe(null);
    expect(plan({ limits: { ...LIMITS, cpuSet: '0x' } }).failure).toMatchObject({
      message: expect.stringContaining('failed to set cpuset limit'),
    });
  });

  it('without cgroups data are always bounded', () => {
    const runnerConfig = { cgroupType: 0 } as Settings['runnerConfig'];
    expect(limitsOf({}, { runnerConfig }).dataBytes).toBe(64 * MiB + 16 * 1024);
  });

  it('a rate counts only where the server honours it', () => {
    expect(limitsOf({ cpuRate: 500 }, { enableCpuRate: false }).cpuRate).toBeNull();
  });

  it('where time is looked at in ticks, it is the first tick after the limit', () => {
    const limits = { cpuNs: 1.05e9, clockNs: 1.1e9 };
    expect(limitsOf(limits, { tickMs: 100 })).toMatchObject({ cpuTimeMs: 1150, wallTimeMs: 1200 });
  });

  it.each([
    [
      'processes',
      { processCount: 4_194_305 },
      'execve: cgroup: failed to set process limit: write pids.max: invalid argument',
    ],
    [
      'a rate',
      { cpuRate: 9 },
      'execve: cgroup: failed to set cpu rate limit: write cpu.cfs_quota_us: invalid argument',
    ],
  ])('what a cgroup refuses of %s is refused in its words', (_, limits, message) => {
    expect(failureOf({ limits: { ...LIMITS, ...limits } })).toBe(message);
  });
});

describe('a terminal', () => {
  const first = { kind: 'content', text: 'typed' } as const;

  it('has its input typed and its output collected for the first collector', () => {
    const files = [first, { kind: 'collector', name: 'out', max: 9, pipe: false } as const];
    expect(plan({ tty: true, files }).request!.pty).toEqual({
      cols: 0,
      rows: 0,
      term: null,
      input: { text: 'typed' },
      capture: { maxBytes: expect.any(Number), overflow: 'hangup' },
    });
  });

  it('whose output is streamed has no collector', () => {
    const files = [first, { kind: 'stream-out' }, { kind: 'collector', name: 'out', max: 9, pipe: false }];
    const { collectors, request } = plan({ tty: true, files: files as JobProgram['files'] });
    expect(collectors).toEqual([]);
    expect(request!.pty).not.toHaveProperty('capture');
  });
});
