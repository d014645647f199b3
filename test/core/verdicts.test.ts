// Each status from a program that earns it, and the order of decision where several are near.
import type { CopyOut, OneShotOptions, RunResult, Status } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { KiB, MiB, t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { until } from '../helpers/wait.js';

const sbx = useEngine();

interface Case {
  title: string;
  program: string;
  args?: string[];
  options?: OneShotOptions;
  status: Status;
  exitCode?: number | null;
  exitSignal?: string | null;
}

function expectVerdict(result: RunResult, wanted: Case): void {
  const { status, exitCode, exitSignal } = result;
  const expected = { status: wanted.status, exitCode: wanted.exitCode, exitSignal: wanted.exitSignal };
  if (wanted.exitCode === undefined) expected.exitCode = exitCode;
  if (wanted.exitSignal === undefined) expected.exitSignal = exitSignal;
  expect({ status, exitCode, exitSignal }).toEqual(expected);
  expect(result.ok).toBe(status === 'ok');
  expect(result.exitCode === null).not.toBe(result.exitSignal === null);
}

async function check(wanted: Case): Promise<void> {
  const result = await sbx.engine.run(t(wanted.program), wanted.args ?? [], wanted.options);
  expectVerdict(result, wanted);
  expect(result.usage.cpuTimeMs).toBeGreaterThanOrEqual(0);
  expect(result.usage.wallTimeMs).toBeGreaterThan(0);
}

const exits: Case[] = [
  { title: 'exit code 0', program: 'true', status: 'ok', exitCode: 0, exitSignal: null },
  { title: 'exit code 1', program: 'exit-with', args: ['1'], status: 'exit', exitCode: 1 },
  { title: 'exit code 255', program: 'exit-with', args: ['255'], status: 'exit', exitCode: 255 },
  {
    title: 'exit code 137 is no SIGKILL',
    program: 'exit-with',
    args: ['137'],
    status: 'exit',
    exitCode: 137,
  },
];

const signals: Case[] = [
  ['segv', 'SIGSEGV'],
  ['fpe', 'SIGFPE'],
  ['ill', 'SIGILL'],
  ['bus', 'SIGBUS'],
  ['abort', 'SIGABRT'],
  ['9', 'SIGKILL'],
  ['15', 'SIGTERM'],
  ['13', 'SIGPIPE'],
].map(([how, name]) => ({
  title: `ended by ${name} of its own (${how})`,
  program: 'die-by',
  args: [how!],
  status: 'signal',
  exitCode: null,
  exitSignal: name!,
}));

const limits: Case[] = [
  {
    title: 'CPU time over the limit',
    program: 'burn-cpu',
    args: ['5000'],
    options: { limits: { cpuTimeMs: 100, wallTimeMs: 5000 } },
    status: 'cpu-limit',
    exitSignal: 'SIGKILL',
  },
  {
    title: 'wall time over the limit',
    program: 'sleep-ms',
    args: ['5000'],
    options: { limits: { wallTimeMs: 100 } },
    status: 'wall-limit',
    exitSignal: 'SIGKILL',
  },
  {
    title: 'memory over the limit',
    program: 'hold-memory',
    args: ['private', String(64 * MiB)],
    options: { limits: { memoryBytes: 16 * MiB } },
    status: 'memory-limit',
    exitSignal: 'SIGKILL',
  },
  {
    title: 'stdout over the limit',
    program: 'flood',
    args: ['1', '0'],
    options: { limits: { outputBytes: 10 * KiB } },
    status: 'output-limit',
  },
  {
    title: 'stderr over the limit',
    program: 'flood',
    args: ['2', '0'],
    options: { limits: { outputBytes: 10 * KiB } },
    status: 'output-limit',
  },
  {
    title: 'a file over the limit',
    program: 'write-file',
    args: ['f', String(2 * MiB)],
    options: { limits: { fileBytes: MiB } },
    status: 'output-limit',
    exitSignal: 'SIGXFSZ',
  },
];

const wanting = (copyOut: CopyOut[]): OneShotOptions => ({ copyOut });

const others: Case[] = [
  {
    title: 'a refused system call that kills',
    program: 'try-syscalls',
    args: ['ptrace'],
    options: { seccompAction: 'kill' },
    status: 'forbidden-syscall',
    exitSignal: 'SIGSYS',
  },
  {
    title: 'a call through the 32-bit table',
    program: 'int80',
    status: 'forbidden-syscall',
    exitSignal: 'SIGSYS',
  },
  {
    title: 'a missing file asked for',
    program: 'true',
    options: wanting(['out.txt']),
    status: 'file-error',
    exitCode: 0,
  },
  {
    title: 'a missing file asked for, but optional',
    program: 'true',
    options: wanting([{ path: 'out.txt', optional: true }]),
    status: 'ok',
  },
];

const precedence: Case[] = [
  {
    title: 'SIGXCPU without a CPU limit is a signal like others',
    program: 'die-by',
    args: ['24'],
    options: { limits: { cpuTimeMs: null } },
    status: 'signal',
    exitSignal: 'SIGXCPU',
  },
  {
    title: 'SIGXFSZ without a limit for files as well',
    program: 'die-by',
    args: ['25'],
    options: { limits: { fileBytes: null } },
    status: 'signal',
    exitSignal: 'SIGXFSZ',
  },
  {
    title: 'a child killed for memory, the parent shrugs and exits 0: memory-limit',
    program: 'hold-memory',
    args: ['shrug', String(64 * MiB)],
    options: { limits: { memoryBytes: 16 * MiB } },
    status: 'memory-limit',
  },
  {
    title: 'a wrong exit and a missing file: the exit, for the file was never due',
    program: 'exit-with',
    args: ['3'],
    options: wanting(['out.txt']),
    status: 'exit',
    exitCode: 3,
  },
  {
    title: 'SIGKILL of its own under all limits: signal, not a limit',
    program: 'die-by',
    args: ['9'],
    options: {
      limits: {
        cpuTimeMs: paced(100),
        wallTimeMs: paced(1000),
        memoryBytes: 16 * MiB,
        outputBytes: KiB,
      },
    },
    status: 'signal',
    exitSignal: 'SIGKILL',
  },
  {
    title: 'CPU limit far below the wall limit',
    program: 'burn-cpu',
    args: ['5000'],
    options: { limits: { cpuTimeMs: 50, wallTimeMs: 300 } },
    status: 'cpu-limit',
  },
  {
    title: 'wall limit far below the CPU limit',
    program: 'burn-cpu',
    args: ['5000'],
    options: { limits: { cpuTimeMs: 1000, wallTimeMs: 50 } },
    status: 'wall-limit',
  },
  {
    title: 'SIGXFSZ ignored: the program sees EFBIG and decides',
    program: 'write-file',
    args: ['f', String(2 * MiB), 'ignore'],
    options: { limits: { fileBytes: MiB } },
    status: 'exit',
    exitCode: 1,
  },
  {
    title: 'signals all ignored and blocked do not help against the CPU limit',
    program: 'deaf',
    args: ['spin'],
    options: { limits: { cpuTimeMs: 50 } },
    status: 'cpu-limit',
    exitSignal: 'SIGKILL',
  },
  {
    title: 'a stopped program runs into the wall limit',
    program: 'stop',
    args: ['all'],
    options: { limits: { wallTimeMs: 100 } },
    status: 'wall-limit',
  },
];

describe('verdicts', () => {
  it.each([...exits, ...signals, ...limits, ...others, ...precedence])('$title', check);

  it('killed from outside', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('sleep-ms'), ['60000']);
    program.kill();
    const result = await program.result;
    expectVerdict(result, {
      title: '',
      program: '',
      status: 'killed',
      exitCode: null,
      exitSignal: 'SIGKILL',
    });
  });

  it('killed by close', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const program = await sandbox.spawn(t('sleep-ms'), ['60000']);
    await program.close();
    expect((await program.result).status).toBe('killed');
  });

  it('a program that ended before kill() keeps its own end', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const program = await sandbox.spawn(t('exit-with'), ['3']);
    await program.result;
    program.kill();
    await program.close();
    expect((await program.result).status).toBe('exit');
  });

  it('orThrow returns a good result and throws a bad one', async () => {
    const good = await sbx.engine.run(t('true'));
    expect(good.orThrow()).toBe(good);
    const bad = await sbx.engine.run(t('exit-with'), ['4']);
    expect(() => bad.orThrow()).toThrow(expect.objectContaining({ name: 'ProgramError', result: bad }));
  });

  it('counts every verdict', async () => {
    const before = { ...sbx.engine.counters().byStatus };
    await sbx.engine.run(t('true'));
    await sbx.engine.run(t('exit-with'), ['1']);
    await until(100, 'counted', () => sbx.engine.counters().byStatus.exit === before.exit + 1);
    expect(sbx.engine.counters().byStatus.ok).toBe(before.ok + 1);
  });
});
