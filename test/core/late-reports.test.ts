/** Reports of programs that are late: the kernel takes its time to kill, or nobody is there to report. */
import { describe, expect, it } from 'vitest';
import { MiB, t, useEngine, withEngine } from '../helpers/engine.js';
import { descendants, openDescriptors } from '../helpers/proc.mjs';
import { sleep, until } from '../helpers/wait.js';

const processesOf = (name: string) => descendants().filter((row) => row.name === name && row.state !== 'Z');

it('CPU time is known where init cannot tell it', () =>
  withEngine({ parallelism: 1 }, async (engine) => {
    await engine.run(t('burn-cpu'), ['300']); // which the same group has counted
    const stop = new AbortController();
    const options = { signal: stop.signal, onAbort: 'resolve' } as const;
    const running = engine.run(t('burn-cpu'), ['60000'], options);
    await until(2000, 'it runs', () => processesOf('burn-cpu').length > 0);
    await sleep(300);
    process.kill(processesOf('burn-cpu')[0]!.parent, 'SIGSTOP');
    stop.abort();
    const { status, usage, degraded } = await running;
    expect(status).toBe('killed');
    expect(usage.cpuTimeMs).toBeGreaterThan(0);
    expect(usage.cpuTimeMs).toBeLessThan(usage.wallTimeMs + 100);
    expect(degraded.map(({ feature }) => feature)).not.toContain('cpu-accounting');
  }));

it('an init that is stopped ends with its sandbox, also where no group of its own ends it', () =>
  withEngine({ parallelism: 1, maxSandboxes: 1, cgroup: 'none', require: [] }, async (engine) => {
    const sandbox = await engine.createSandbox();
    const program = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const { parent } = processesOf('sleep-ms')[0]!;
    process.kill(parent, 'SIGSTOP');
    await sandbox.close();
    await program.result;
    expect((await engine.run(t('true'))).status).toBe('ok');
    expect(processesOf('sbx-init').map(({ pid }) => pid)).not.toContain(parent);
  }));

describe('beside another program', () => {
  const sbx = useEngine();

  it('the report waits until all processes of a program are dead', async () => {
    await using sandbox = await sbx.engine.createSandbox({ limits: { processCount: 500 } });
    await using _beside = await sandbox.spawn(t('sleep-ms'), ['60000']);
    // Throttled, they take long to die.
    const limits = { cpuRate: 0.02, processCount: 450, wallTimeMs: 60_000 };
    const { status } = await sandbox.run(t('leave-many'), ['400'], { limits });
    expect([status, processesOf('leave-many')]).toEqual(['ok', []]);
  });

  it('a terminal that comes after its program has been given up is closed', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    const before = await sandbox.spawn(t('sleep-ms'), ['60000']);
    await until(2000, 'it runs', () => processesOf('sleep-ms').length > 0);
    const { parent: init } = processesOf('sleep-ms')[0]!; // others may be of sandboxes that end just now
    before.kill();
    await before.result;
    const terminals = () => [...openDescriptors().values()].filter((target) => target.endsWith('ptmx'));
    process.kill(init, 'SIGSTOP');
    const options = { pty: {}, signal: AbortSignal.timeout(20), onAbort: 'resolve' } as const;
    const { status } = await sandbox.run(t('true'), [], options);
    process.kill(init, 'SIGCONT');
    await sandbox.run(t('true')); // by then init has started and ended the other
    expect([status, terminals()]).toEqual(['killed', []]);
  });

  it('a program that has the group of the sandbox has no CPU time of those below', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using idle = await sandbox.spawn(t('sleep-ms'), ['60000'], { limits: { cpuTimeMs: 400 } });
    const startMs = idle.usage().cpuTimeMs;
    // Several: their groups go as soon as they are over, before init has looked again or after it.
    for (let i = 0; i < 5; i += 1) {
      const { usage } = await sandbox.run(t('burn-cpu'), ['300']);
      expect(usage.cpuTimeMs).toBeGreaterThan(290);
      expect(idle.usage().cpuTimeMs - startMs).toBeLessThan(250);
    }
    expect(sandbox.usage().cpuTimeMs).toBeGreaterThan(1450);
    await sleep(100); // for init to look at limits once more
    idle.kill('SIGTERM');
    const { exitSignal, usage } = await idle.result;
    expect(exitSignal).toBe('SIGTERM');
    expect(usage.cpuTimeMs - startMs).toBeLessThan(250);
  });

  it('a program that has the group of the sandbox outlives one that memory ran out for', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using idle = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const limits = { memoryBytes: 16 * MiB };
    const other = await sandbox.run(t('hold-memory'), ['private', `${64 * MiB}`], { limits });
    expect(other.status).toBe('memory-limit');
    await sleep(100); // for init to look at limits once more
    idle.kill('SIGTERM');
    const { status, exitSignal } = await idle.result;
    expect([status, exitSignal]).toEqual(['killed', 'SIGTERM']);
  });
});

it('without cgroups a program has the CPU time of its own processes, not that of others', () =>
  withEngine({ cgroup: 'none', require: [] }, async (engine) => {
    await using sandbox = await engine.createSandbox();
    await using idle = await sandbox.spawn(t('sleep-ms'), ['60000'], { limits: { cpuTimeMs: 400 } });
    const one = await sandbox.run(t('burn-cpu'), ['600']);
    const many = await sandbox.run(t('burn-children'), ['reaped', '4', '100']);
    const nothing = await sandbox.run(t('true'));
    expect([one.status, many.status, nothing.status]).toEqual(['ok', 'ok', 'ok']);
    expect(one.usage.cpuTimeMs).toBeGreaterThan(590);
    expect(many.usage.cpuTimeMs).toBeGreaterThan(390);
    expect(many.usage.cpuTimeMs).toBeLessThan(590);
    expect(nothing.usage.cpuTimeMs).toBeLessThan(100);
    await sleep(50); // for init to look at limits once more
    expect(idle.usage().wallTimeMs).toBeGreaterThan(1000);
    idle.kill('SIGTERM');
    const { exitSignal, usage } = await idle.result;
    expect([exitSignal, usage.cpuTimeMs < 100]).toEqual(['SIGTERM', true]);
  }));

it('without cgroups a program beside another ends with all process groups of its session', () =>
  withEngine({ cgroup: 'none', require: [] }, async (engine) => {
    await using sandbox = await engine.createSandbox();
    await using _beside = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const { status } = await sandbox.run(t('leave-many'), ['10', 'apart']);
    expect([status, processesOf('leave-many')]).toEqual(['ok', []]);
    expect(processesOf('sleep-ms')).toHaveLength(1);
  }));

it('without cgroups what a program left ends with the last one, also when that never started', () =>
  withEngine({ cgroup: 'none', require: [] }, async (engine) => {
    await using sandbox = await engine.createSandbox();
    const leave = 'exec 9>>busy; echo > left; exec sleep 60';
    const first = `cp ${t('true')} busy; setsid sh -c '${leave}' & while [ ! -s go ]; do sleep 0.01; done`;
    await using program = await sandbox.spawn('/bin/sh', ['-c', first]);
    await until(2000, 'it has left something', () => sandbox.exists('left'));
    // Tried again and again, as its file is busy: by then the first program is over.
    const starting = sandbox.run('/w/busy').catch((error: Error) => error);
    await sandbox.writeFile('go', 'on\n');
    expect((await program.result).status).toBe('ok');
    expect(await starting).toMatchObject({ code: 'SBX_PROGRAM_NOT_EXECUTABLE' });
    await until(1000, 'nothing is left', () => processesOf('sleep').length === 0);
  }));
