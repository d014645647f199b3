// The engine as a whole: admission, bounds, counters, events, several of them, worker threads.
import { execFile } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { Engine, type EngineInfo, FEATURES, Sandbox, STATUSES } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { engineOptions, MiB, t, useEngine, withEngine } from '../helpers/engine.js';
import { expectNothingLeft, settledFootprint } from '../helpers/leaks.js';
import { sleep, timed, until } from '../helpers/wait.js';

const sbx = useEngine();

describe('admission', () => {
  it('runs as many as `parallelism`, the rest wait their turn', async () => {
    await withEngine({ parallelism: 2 }, async (engine) => {
      let most = 0;
      const runs = Array.from({ length: 8 }, () => engine.run(t('sleep-ms'), ['50']));
      const watching = (async () => {
        while (engine.counters().finishedTotal < 8) {
          most = Math.max(most, engine.counters().running);
          await sleep(2);
        }
      })();
      const { value, ms } = await timed(() => Promise.all(runs));
      await watching;
      expect(value.every((result) => result.ok)).toBe(true);
      expect(most).toBe(2);
      expect(ms).toBeGreaterThan(4 * 50 - 5);
    });
  });

  it('first come, first served', async () => {
    await withEngine({ parallelism: 1 }, async (engine) => {
      const order: number[] = [];
      const runs = [0, 1, 2, 3, 4].map((i) => engine.run(t('sleep-ms'), ['5']).then(() => order.push(i)));
      await Promise.all(runs);
      expect(order).toEqual([0, 1, 2, 3, 4]);
    });
  });

  it('beyond the queue: OverloadedError at once, the others are served', async () => {
    await withEngine({ parallelism: 1, queueLength: 3 }, async (engine) => {
      const runs = Array.from({ length: 6 }, () => engine.run(t('sleep-ms'), ['50']));
      const outcomes = await Promise.allSettled(runs);
      const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(refused).toHaveLength(2);
      for (const outcome of refused) {
        expect(outcome.reason).toMatchObject({
          name: 'OverloadedError',
          code: 'SBX_OVERLOADED',
          retryable: true,
        });
        expect(outcome.reason.retryAfterMs).toBeGreaterThan(0);
      }
      expect(engine.counters().refusedTotal).toBe(2);
      expect((await engine.run(t('true'))).ok).toBe(true);
    });
  });

  it('more sandboxes than allowed: OverloadedError, until one is closed', async () => {
    await withEngine({ maxSandboxes: 3, parallelism: 1, readyCount: 1 }, async (engine) => {
      const open = await Promise.all([1, 2, 3].map(() => engine.createSandbox()));
      await expect(engine.createSandbox()).rejects.toMatchObject({ code: 'SBX_OVERLOADED' });
      await open[0]!.close();
      await until(1000, 'a place is free', () => engine.counters().sandboxes === 2);
      await using another = await engine.createSandbox();
      expect((await another.run(t('true'))).ok).toBe(true);
    });
  });

  it('one run after another has its place at once, in the last one that is left too', async () => {
    await withEngine({ maxSandboxes: 3, parallelism: 1, readyCount: 0 }, async (engine) => {
      await using _one = await engine.createSandbox();
      await using _two = await engine.createSandbox();
      for (let i = 0; i < 5; i++) expect((await engine.run(t('true'))).ok).toBe(true);
    });
  });

  it('what a lone run used is made anew also when nobody comes after it', async () => {
    await withEngine({ parallelism: 1, readyCount: 2 }, async (engine) => {
      const all = () => engine.counters().ready === 3;
      await until(1000, 'all stand ready', all);
      for (let i = 0; i < 3; i++) expect((await engine.run(t('true'))).ok).toBe(true);
      await until(1000, 'all stand ready again', all);
    });
  });

  it('a burst of 100 is served whole', async () => {
    const results = await Promise.all(
      Array.from({ length: 100 }, (_, i) => sbx.engine.run(t('exit-with'), [String(i)])),
    );
    expect(results.map((result) => result.exitCode)).toEqual(Array.from({ length: 100 }, (_, i) => i));
  });
});

describe('what it says of itself', () => {
  it('info names every feature, with a mechanism or a reason', () => {
    const info = sbx.engine.info();
    expect(Object.keys(info.features).toSorted()).toEqual([...FEATURES].toSorted());
    for (const [name, feature] of Object.entries(info.features)) {
      if (feature.available) expect(feature.mechanism, name).toBeTruthy();
      else expect(feature.reason, name).toBeTruthy();
    }
    expect(info.kernel).toMatch(/^\d+\.\d+/);
    expect(['v1', 'v2', 'hybrid']).toContain(info.cgroup.version);
    expect([info, info.features.seccomp, info.limits].every(Object.isFrozen)).toBe(true);
  });

  it('nothing of a plain run is degraded where every feature is there', async () => {
    const missing = Object.entries(sbx.engine.info().features).filter(([, feature]) => !feature.available);
    const result = await sbx.engine.run(t('true'));
    const degraded = result.degraded.map((row) => row.feature);
    for (const feature of degraded) expect(missing.map(([name]) => name)).toContain(feature);
  });

  it('counters move and come back', async () => {
    const before = sbx.engine.counters();
    expect(Object.keys(before.byStatus).toSorted()).toEqual([...STATUSES].toSorted());
    const run = sbx.engine.run(t('sleep-ms'), ['100']);
    await until(1000, 'it runs', () => sbx.engine.counters().running === 1);
    await run;
    const after = sbx.engine.counters();
    expect(after.running).toBe(0);
    expect(after.startedTotal).toBe(before.startedTotal + 1);
    expect(after.finishedTotal).toBe(before.finishedTotal + 1);
  });

  it('trimMemory gives back what is free between what is used', async () => {
    const script = `
      import { setTimeout as sleep } from 'node:timers/promises';
      import { Engine } from '@sbx/core';
      const engine = await Engine.open({ readyCount: 0 });
      const buffer = () => Buffer.allocUnsafeSlow(8192).fill(1);
      const burst = () => Array.from({ length: 4000 }, buffer).filter((_, index) => index % 100 === 0);
      const kept = burst();
      for (let round = 0; round < 3; round += 1) {
        await sleep(20);
        globalThis.gc();
      }
      const before = process.memoryUsage.rss();
      const trimmed = engine.trimMemory();
      console.log(JSON.stringify([kept.length, trimmed, before - process.memoryUsage.rss()]));
      await engine.close();`;
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--expose-gc', '--input-type=module', '-e', script],
      { cwd: fileURLToPath(new URL('../..', import.meta.url)), timeout: 20_000 },
    );
    const [kept, trimmed, bytes] = JSON.parse(stdout) as [number, boolean, number];
    expect([kept, trimmed]).toEqual([40, true]);
    expect(bytes).toBeGreaterThan(20 * MiB); // of 31
  });

  it('diagnostics_channel: a start and an end for each run', async () => {
    const seen: string[] = [];
    const onStart = () => seen.push('start');
    const onEnd = () => seen.push('end');
    subscribe('sbx:run:start', onStart);
    subscribe('sbx:run:end', onEnd);
    await sbx.engine.run(t('true'));
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run(t('exit-with'), ['1']);
    unsubscribe('sbx:run:start', onStart);
    unsubscribe('sbx:run:end', onEnd);
    expect(seen).toEqual(['start', 'end', 'start', 'end']);
  });
});

describe('several engines', () => {
  it('live side by side with settings of their own', async () => {
    await withEngine({ hostname: 'one', limits: { wallTimeMs: 100 } }, async (one) => {
      await withEngine(
        { hostname: 'two', workDir: '/work-here', limits: { wallTimeMs: 1000 } },
        async (two) => {
          const [first, second] = await Promise.all([one.run(t('posture')), two.run(t('posture'))]);
          expect(first.stdout.text()).toContain('hostname one\n');
          expect(second.stdout.text()).toContain('hostname two\n');
          expect((await two.run('/bin/pwd')).stdout.text()).toBe('/work-here\n');
          const [short, long] = await Promise.all([
            one.run(t('sleep-ms'), ['300']),
            two.run(t('sleep-ms'), ['300']),
          ]);
          expect([short.status, long.status]).toEqual(['wall-limit', 'ok']);
        },
      );
      expect((await one.run(t('true'))).ok).toBe(true);
    });
  });

  it('what the caller changes in its options later changes nothing', async () => {
    const options = { ceilings: { wallTimeMs: 1000 }, umask: 0o022 };
    await withEngine(options, async (engine) => {
      options.ceilings.wallTimeMs = 60_000;
      const limits = { wallTimeMs: 2000 };
      await expect(engine.run(t('true'), [], { limits })).rejects.toMatchObject({ rule: 'ceiling' });
      expect(engine.info().ceilings).toEqual({ wallTimeMs: 1000 });
    });
  });

  it('a root of one’s own: only what its rows say', async () => {
    const mounts = [
      { kind: 'tmpfs', target: '/scratch', sizeBytes: MiB },
      { kind: 'dir', target: '/empty' },
      { kind: 'file', target: '/etc/motd', text: 'welcome' },
      { kind: 'symlink', target: '/link', to: '/etc/motd' },
    ] as const;
    await withEngine({ mounts }, async (engine) => {
      const paths = ['/etc/motd', '/link', '/empty', '/scratch', '/usr', '/bin'];
      const result = await engine.run(t('read-paths'), paths);
      expect(result.stdout.text()).toBe(
        '/etc/motd: 7\n/link: 7\n/empty: 2\n/scratch: 2\n/usr: ENOENT\n/bin: ENOENT\n',
      );
    });
  });

  it('opened and closed 20 times leave nothing', async () => {
    const before = await settledFootprint();
    for (let i = 0; i < 20; i++) {
      const engine = await Engine.open(engineOptions());
      const info = engine.info();
      if (i % 2) await engine.run(t('true'));
      await engine.close();
      if (i % 5 === 0) await expectNothingLeft(before, info);
    }
  });

  it('closed while opening sandboxes: they are refused or gone', async () => {
    await withEngine({}, async (engine) => {
      const creating = Promise.allSettled(Array.from({ length: 10 }, () => engine.createSandbox()));
      await engine.close();
      for (const outcome of await creating) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'SBX_CLOSED' });
        else await expect(outcome.value.run(t('true'))).rejects.toMatchObject({ code: 'SBX_CLOSED' });
      }
    });
  });

  it('Sandbox.create and Sandbox.run take an engine', async () => {
    await using sandbox = await Sandbox.create({ engine: sbx.engine });
    expect((await sandbox.run(t('true'))).ok).toBe(true);
    expect((await Sandbox.run(t('true'), [], { engine: sbx.engine })).ok).toBe(true);
  });
});

describe('worker threads', () => {
  const start = (task: string) =>
    new Worker(new URL('../helpers/engine-worker.mjs', import.meta.url), {
      workerData: { task, mounts: engineOptions().mounts },
    });

  it('an engine works in one, and two of them side by side', async () => {
    const before = await settledFootprint();
    const workers = [start('run'), start('run')];
    const messages = await Promise.all(workers.map((worker) => once(worker, 'message')));
    for (const [message] of messages) expect(message.exitCodes).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await Promise.all(workers.map((worker) => worker.terminate()));
    await expectNothingLeft(before, unknownEngine());
    expect((await sbx.engine.run(t('true'))).ok).toBe(true);
  });

  it('terminated in mid-run it leaves nothing', async () => {
    const before = await settledFootprint();
    const worker = start('hang');
    const [{ info }] = (await once(worker, 'message')) as [{ info: EngineInfo }];
    await sleep(100);
    await worker.terminate();
    await expectNothingLeft(before, info);
    expect((await sbx.engine.run(t('true'))).ok).toBe(true);
  });
});

/** An engine whose user ids we were not told: all else is compared. */
function unknownEngine(): EngineInfo {
  const info = sbx.engine.info();
  return { ...info, user: { ...info.user, uidBase: null } };
}
