// The manager over programs made by hand: what it does when they behave in ways that real ones do not.

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { FifoManager } from './manager.js';
import type { FifoEvent, FifoOptions, ManagedProgram, ProgramEnd } from './types.js';

const END: ProgramEnd = { status: 'ok', exitCode: 0, exitSignal: null, usage: { cpuTimeMs: 2 } };
const KILLED: ProgramEnd = {
  status: 'killed',
  exitCode: null,
  exitSignal: 'SIGKILL',
  usage: { cpuTimeMs: 2 },
};

interface Fake extends ManagedProgram {
  end(end: ProgramEnd): void;
  fail(error: Error): void;
}

function fake(changes: Partial<ManagedProgram> = {}): Fake {
  let settle = { resolve: (_: ProgramEnd) => {}, reject: (_: Error) => {} };
  const result = new Promise<ProgramEnd>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const end = (how: ProgramEnd) => settle.resolve(how);
  const usage = () => ({ cpuTimeMs: 1.2345, memoryBytes: 4096 });
  return { usage, kill: () => end(KILLED), result, end, fail: (error) => settle.reject(error), ...changes };
}

async function withManager<T>(
  program: ManagedProgram,
  use: (manager: FifoManager) => Promise<T>,
  options?: FifoOptions,
): Promise<T> {
  const manager = await FifoManager.open(() => program, options);
  try {
    await manager.started;
    return await use(manager);
  } finally {
    await manager.close();
    expect(existsSync(manager.dir)).toBe(false);
  }
}

const ask = async ({ dir }: FifoManager, byte = '1') => {
  const script = `printf ${byte} > wait; cat status`;
  return (await promisify(execFile)('sh', ['-c', script], { cwd: dir })).stdout;
};

describe('readings', () => {
  it('are whole microseconds and never go down', async () => {
    let cpuTimeMs = 5.0009;
    const usage = () => ({ cpuTimeMs, memoryBytes: 10 });
    const program = fake({ usage });
    await withManager(program, async (manager) => {
      expect(manager.reading()).toEqual({
        cpuTimeUs: 5000,
        memoryBytes: 10,
        status: 'process running normally',
      });
      cpuTimeMs = 3;
      expect(manager.reading().cpuTimeUs).toBe(5000);
      program.end(END);
      await program.result;
      expect(manager.reading()).toEqual({
        cpuTimeUs: 5000,
        memoryBytes: 0,
        status: 'process terminated normally',
      });
    });
  });

  it.each([
    ['cannot be measured', () => ({ cpuTimeMs: 1, memoryBytes: null }), 1000],
    [
      'throws',
      () => {
        throw new Error('gone');
      },
      0,
    ],
  ])('memory that %s is 0, with a remark', async (_, usage, cpuTimeUs) => {
    await withManager(fake({ usage }), async (manager) => {
      expect(await ask(manager)).toBe(`${cpuTimeUs}\n0\nprocess running normally; memory not measured\n`);
    });
  });

  it.each([
    [{ ...END, status: 'exit', exitCode: 7 }, 'process terminated with exit status 7'],
    [{ ...KILLED, status: 'signal', exitSignal: 'SIGRTMIN+3' }, 'process interrupted by signal 37'],
    [{ ...KILLED, status: 'memory-limit' }, 'process interrupted by signal 9; memory limit exceeded'],
    [
      { ...END, status: 'memory-limit', exitCode: 1 },
      'process terminated with exit status 1; memory limit exceeded',
    ],
    [{ ...KILLED, status: 'output-limit' }, 'process interrupted by signal 9; output limit exceeded'],
    [
      { ...END, status: 'cpu-limit', evidence: 'cpu-limit/figure' },
      'process terminated normally; cpu time limit exceeded',
    ],
    [
      { ...KILLED, status: 'forbidden-syscall', exitSignal: 'SIGSYS', evidence: 'forbidden-syscall/filter' },
      'process interrupted by signal 31; forbidden system call',
    ],
    // Nothing but a signal that any program can raise itself:
    [
      { ...KILLED, status: 'cpu-limit', exitSignal: 'SIGXCPU', evidence: 'cpu-limit/signal' },
      'process interrupted by signal 24',
    ],
    [{ ...KILLED, status: 'cpu-limit', exitSignal: 'SIGXCPU' }, 'process interrupted by signal 24'],
    [{ ...KILLED, status: 'output-limit', exitSignal: 'SIGXFSZ' }, 'process interrupted by signal 25'],
    [{ ...KILLED, status: 'forbidden-syscall', exitSignal: 'SIGSYS' }, 'process interrupted by signal 31'],
    [{ ...KILLED }, 'process interrupted by signal 9'],
  ])('%o', async (end, status) => {
    const program = fake();
    await withManager(program, async (manager) => {
      program.end(end);
      await program.result;
      expect(manager.reading().status).toBe(status);
    });
  });

  it('a result that rejects is told in one line', async () => {
    const program = fake();
    await withManager(program, async (manager) => {
      program.fail(new Error('The helper\nhas died.'));
      await program.result.catch(() => {});
      expect(await ask(manager)).toBe('0\n0\nprocess lost; The helper has died\n');
    });
  });
});

// Each takes seconds of real time and next to no CPU time, so they wait side by side.
describe.concurrent('with time', () => {
  it.each([
    ['1', /^1234\n4096\nprocess running normally\n$/],
    ['0', /^2000\n0\nprocess killed \(forced termination\)\n$/],
  ])('a reply that is owed to %s never expires', { timeout: 20_000 }, async (byte, reply) => {
    await withManager(fake(), async ({ dir }) => {
      const late = await promisify(execFile)('sh', ['-c', `printf ${byte} > wait; sleep 6; cat status`], {
        cwd: dir,
        timeout: 10_000,
      });
      expect(late.stdout).toMatch(reply);
    });
  });

  it('a reply that is owed does not keep the sandbox of a program that is over', {
    timeout: 20_000,
  }, async () => {
    let isClosed = false;
    const program = fake();
    const manager = await FifoManager.open(({ atEnd }) => {
      atEnd(async () => {
        isClosed = true;
      });
      return program;
    });
    await promisify(execFile)('sh', ['-c', 'printf 0 > wait'], { cwd: manager.dir });
    await new Promise((resolve) => setTimeout(resolve, 6000));
    expect(isClosed).toBe(true);
    expect(existsSync(manager.dir)).toBe(true);
    await manager.close();
    expect(existsSync(manager.dir)).toBe(false);
  });

  it('the end does not wait for ever for a program that cannot be killed', { timeout: 10_000 }, async () => {
    const manager = await FifoManager.open(() => fake({ kill: () => {} }), { graceMs: 0 });
    expect(await ask(manager, '0')).toMatch(
      /^\d+\n0\nprocess killed \(forced termination\); its end has not been/,
    );
  });
});

describe('a reply that is owed', () => {
  it('is dropped after giveUpMs, for owners who want that', async () => {
    const manager = await FifoManager.open(() => fake(), { giveUpMs: 50 });
    await promisify(execFile)('sh', ['-c', 'printf 0 > wait'], { cwd: manager.dir });
    expect(await manager.finished).toMatchObject({ delivered: false });
  });

  it('is the final one for a second last call while the program leaves', async () => {
    await withManager(
      fake(),
      async ({ dir }) => {
        const script = 'printf 0 > wait; sleep 0.1; printf 0 > wait; cat status';
        const { stdout } = await promisify(execFile)('sh', ['-c', script], { cwd: dir });
        expect(stdout).toBe('2000\n0\nprocess killed (forced termination)\n');
      },
      { graceMs: 400 },
    );
  });

  it('and each request are told to an observer, whose errors harm nobody', async () => {
    const events: FifoEvent[] = [];
    const onEvent = (event: FifoEvent) => {
      events.push(event);
      throw new Error('mine');
    };
    await withManager(fake(), async (manager) => void (await ask(manager, 'x')), { onEvent });
    expect(events).toMatchObject([
      { kind: 'request', request: 'stray', byte: 0x78 },
      { kind: 'reply', reading: { status: expect.stringContaining('unknown request 0x78') } },
    ]);
  });
});

describe('the end', () => {
  it('cleans up what the start has registered, and nothing in it can hold it up', async () => {
    const done: string[] = [];
    const manager = await FifoManager.open(({ atEnd }) => {
      atEnd(async () => void done.push('first'));
      atEnd(() => Promise.reject(new Error('no')));
      return fake();
    });
    await manager.close();
    expect(done).toEqual(['first']);
    await manager.close();
  });

  it('kills a program whose start was slower than the last call', async () => {
    let arrive = (_: ManagedProgram) => {};
    const manager = await FifoManager.open(
      () => new Promise<ManagedProgram>((resolve) => (arrive = resolve)),
    );
    await manager.close();
    const late = fake();
    arrive(late);
    expect(await late.result).toEqual(KILLED);
  });

  it('makes hundreds of directories with a few forks', async () => {
    const managers = await Promise.all(Array.from({ length: 200 }, () => FifoManager.open(() => fake())));
    expect(new Set(managers.map(({ dir }) => dir)).size).toBe(200);
    await Promise.all(managers.map((manager) => manager.close()));
  });
});

it('closes although a client asks without end, and lets it go', async () => {
  const manager = await FifoManager.open(() => fake());
  const client = spawn('sh', ['-c', 'exec tr "\\0" 1 < /dev/zero > wait'], { cwd: manager.dir });
  const ended = once(client, 'exit');
  try {
    expect(await ask(manager)).toMatch(/normally\n$/);
    await manager.close();
    expect(existsSync(manager.dir)).toBe(false);
    expect((await ended)[1]).toBe('SIGPIPE');
  } finally {
    client.kill('SIGKILL');
  }
});
