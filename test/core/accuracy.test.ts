/**
 * Figures held against independent ones: the program's own clocks, the sizes it asked for, /proc of the
 * living process, and the host's clock around the run. Bounds are one-sided where nature is: what the program
 * saw of itself is less than what it cost, which is less than what passed outside.
 */
import { readFileSync } from 'node:fs';
import type { LiveUsage, RunResult } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { MiB, t, useEngine } from '../helpers/engine.js';
import { processesOfUids } from '../helpers/proc.mjs';
import { sleep, timed, until } from '../helpers/wait.js';

const sbx = useEngine();

/**
 * Exec, start and exit of a static program, which its own clock does not see whole; and one scheduler tick (4
 * ms at 250 Hz) per CPU.
 */
const CPU_MORE_MS = 12;
/** Two clocks of the kernel for the same time: rounding only. */
const CPU_LESS_MS = 1;
/** A fork, its copied pages and its exit, per child. */
const CHILD_MORE_MS = 1.5;

const printed = (result: RunResult) => Number(result.stdout.text().trim().split(' ')[0]);

const cpuCases: [title: string, program: string, args: string[], children: number][] = [
  ['a single process', 'burn-cpu', ['300'], 0],
  ['a short one', 'burn-cpu', ['20'], 0],
  ['four threads', 'burn-cpu', ['300', '4'], 0],
  ['children waited for', 'burn-children', ['reaped', '20', '10'], 20],
  ['children at once', 'burn-children', ['parallel', '4', '50'], 4],
  ['children whose end is ignored', 'burn-children', ['ignored', '4', '50'], 4],
  ['orphans in sessions of their own', 'burn-children', ['orphaned', '4', '50'], 8],
];

describe('CPU time', () => {
  it.each(cpuCases)('%s', async (_, program, args, children) => {
    const result = await sbx.engine.run(t(program), args);
    expect(result.status).toBe('ok');
    const own = printed(result);
    expect(result.usage.cpuTimeMs).toBeGreaterThanOrEqual(own - CPU_LESS_MS);
    expect(result.usage.cpuTimeMs).toBeLessThanOrEqual(own + CPU_MORE_MS + children * CHILD_MORE_MS);
  });

  it('sleep is none', async () => {
    const result = await sbx.engine.run(t('sleep-ms'), ['200']);
    expect(result.status).toBe('ok');
    expect(result.usage.cpuTimeMs).toBeLessThanOrEqual(CPU_MORE_MS);
  });

  it('time spent in the kernel', async () => {
    const result = await sbx.engine.run(t('burn-system'), ['200']);
    const [user, system] = result.stdout.text().trim().split(' ').map(Number);
    const own = user! + system!;
    expect(system).toBeGreaterThan(user! / 4); // the program does what its name says
    expect(result.usage.cpuTimeMs).toBeGreaterThanOrEqual(own - CPU_LESS_MS);
    expect(result.usage.cpuTimeMs).toBeLessThanOrEqual(own + CPU_MORE_MS);
  });

  it('orphans that outlive the main process are counted until they are killed', async () => {
    const result = await sbx.engine.run(t('burn-children'), ['left', '2', '10000']);
    expect(result.status).toBe('ok');
    expect(result.usage.cpuTimeMs).toBeLessThan(200); // they died with it, not 20 s later
  });

  it('a killed program got at least as far as it says itself', async () => {
    const result = await sbx.engine.run(t('count-up'), ['1'], { limits: { cpuTimeMs: 150 } });
    const last = Number(result.stdout.text().trim().split('\n').at(-1));
    expect(result.status).toBe('cpu-limit');
    expect(last).toBeGreaterThan(150 - 1 - CPU_MORE_MS); // it had nearly all of what it was given
    expect(result.usage.cpuTimeMs).toBeGreaterThanOrEqual(last - CPU_LESS_MS);
  });

  it('the kernel agrees while it lives', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('burn-cpu'), ['5000']);
    const { uidBase } = sbx.engine.info().user;
    const find = () => processesOfUids(uidBase).find((row) => row.name === 'burn-cpu');
    await until(2000, 'visible with 200 ms used', () => (find()?.ticks ?? 0) >= 20);
    const low = program.usage().cpuTimeMs;
    const kernel = find()!.ticks * 10;
    const high = program.usage().cpuTimeMs;
    // /proc counts ticks of 10 ms, user and system cut down each; a running task is booked at the scheduler's
    // tick.
    expect(kernel).toBeGreaterThanOrEqual(low - 20 - CPU_MORE_MS);
    expect(kernel).toBeLessThanOrEqual(high + 20);
  });
});

describe('wall time', () => {
  const cases: [string, string, string[]][] = [
    ['asleep', 'sleep-ms', ['200']],
    ['asleep for nothing', 'sleep-ms', ['0']],
  ];

  it.each(cases)('%s: more than the program saw, less than the host saw', async (_, program, args) => {
    const { value: result, ms: outside } = await timed(() => sbx.engine.run(t(program), args));
    const own = printed(result);
    expect(result.usage.wallTimeMs).toBeGreaterThanOrEqual(own);
    expect(result.usage.wallTimeMs).toBeLessThanOrEqual(outside);
    // Exec and exit of a static program, and a scheduling delay of a few ticks on a busy machine.
    expect(result.usage.wallTimeMs).toBeLessThanOrEqual(own + 25);
  });

  it('is that of the main process, not of orphans', async () => {
    const result = await sbx.engine.run(t('leave-orphan'), ['sleep', '5000']);
    expect(result.status).toBe('ok');
    expect(result.usage.wallTimeMs).toBeLessThan(100);
  });
});

/** kind → greatest allowed ratio of peak to what was asked for: sockets book more than they carry. */
const memoryKinds: [kind: string, ratio: number][] = [
  ['private', 1],
  ['shared', 1],
  ['malloc', 1],
  ['freed', 1],
  ['memfd', 1],
  ['sysv', 1],
  ['work', 1],
  ['tmp', 1],
  ['devshm', 1],
  ['pipes', 1],
  ['sockets', 2],
  ['reaped', 1],
  ['eight', 1],
  ['exec', 1],
];

/** Pages of the program, page tables (1/512), batched charges (300 KiB), rounding to a huge page (2 MiB). */
const MEMORY_MORE = 4 * MiB;

describe('memory peak', () => {
  it.each(memoryKinds)('%s', async (kind, ratio) => {
    const held = 48 * MiB;
    const limits = { memoryBytes: 256 * MiB, openFileCount: 4096 };
    const { status, usage } = await sbx.engine.run(t('hold-memory'), [kind, String(held)], { limits });
    expect(status).toBe('ok');
    // The kernel's counters are batched per CPU.
    expect(usage.memoryPeakBytes).toBeGreaterThanOrEqual(held * 0.99);
    expect(usage.memoryPeakBytes).toBeLessThanOrEqual(held * ratio + MEMORY_MORE);
  });

  it('nothing held, nothing reported, however large the host is', async () => {
    const ballast = Buffer.alloc(300 * MiB, 1);
    const { usage } = await sbx.engine.run(t('true'));
    expect(usage.memoryPeakBytes).toBeLessThan(MEMORY_MORE);
    expect(usage.memoryPeakBytes).toBeGreaterThan(0);
    expect(ballast[ballast.length - 1]).toBe(1);
  });

  it('is of this run: the one before leaves no mark', async () => {
    await sbx.engine.run(t('hold-memory'), ['private', String(64 * MiB)]);
    for (let i = 0; i < 8; i++) {
      const { usage } = await sbx.engine.run(t('true'));
      expect(usage.memoryPeakBytes).toBeLessThan(MEMORY_MORE);
    }
  });

  it('VmHWM of the living process agrees', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('hold-memory'), ['private', String(48 * MiB), '60000']);
    await until(2000, 'memory is held', () => (program.usage().memoryBytes ?? 0) >= 48 * MiB * 0.99);
    const row = processesOfUids(sbx.engine.info().user.uidBase).find((row) => row.name === 'hold-memory');
    const status = readFileSync(`/proc/${row!.pid}/status`, 'utf8');
    const resident = Number(status.match(/^VmHWM:\s+(\d+) kB/m)?.[1]) * 1024;
    const now = program.usage().memoryBytes!;
    expect(Math.abs(now - resident)).toBeLessThan(MEMORY_MORE);
  });
});

describe('process peak', () => {
  const cases: [string, string, string[], number][] = [
    ['one', 'true', [], 1],
    ['six, five of them children', 'fork-count', ['5'], 6],
    ['four threads', 'burn-cpu', ['40', '4'], 4],
  ];
  it.each(cases)('%s', async (_, program, args, count) => {
    const { usage } = await sbx.engine.run(t(program), args);
    expect(usage.processPeakCount).toBe(count);
  });
});

describe('live usage', () => {
  it('only grows, and ends at the final figures', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using program = await sandbox.spawn(t('burn-cpu'), ['150']);
    const seen: LiveUsage[] = [];
    let ended = false;
    void program.result.then(() => {
      ended = true;
    });
    while (!ended) {
      seen.push(program.usage());
      await sleep(5);
    }
    const { usage } = await program.result;
    seen.push(program.usage());
    for (const [i, now] of seen.entries()) {
      const before = seen[i - 1] ?? { cpuTimeMs: 0, wallTimeMs: 0, memoryPeakBytes: 0 };
      expect(now.cpuTimeMs).toBeGreaterThanOrEqual(before.cpuTimeMs);
      // The last figure is that of the end itself, and the reading before it may have been taken just after
      // that.
      if (i < seen.length - 1) expect(now.wallTimeMs).toBeGreaterThanOrEqual(before.wallTimeMs);
      expect(now.memoryPeakBytes).toBeGreaterThanOrEqual(before.memoryPeakBytes!);
    }
    expect(seen.length).toBeGreaterThan(5);
    expect(seen.at(-1)).toMatchObject({ ...usage, memoryBytes: 0 });
  });
});
