/** Walls on top of the usual ones, where an engine asks for them. */
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_MOUNTS, Engine, type Feature, type MountRow } from '@sbx/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { engineOptions, t, withEngine } from '../helpers/engine.js';

let folder = '';
let features: Awaited<ReturnType<typeof featuresHere>>;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'wall-test-'));
  chmodSync(folder, 0o777);
  features = await featuresHere();
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

function featuresHere() {
  return withEngine({}, async (engine) => engine.info().features);
}

describe('Landlock', () => {
  const rows: MountRow[] = [{ kind: 'tmpfs', target: '/cache' }];
  const script = `set -e; echo a > /w/a; mkdir /w/d; mv /w/a /w/d/b; ln /w/d/b /w/c; echo x >> /w/c; cat /w/c; rm -r /w/d
    for d in /tmp /dev/shm /cache; do echo $d > $d/f && mv $d/f $d/g; done; echo x > /dev/null; head -c 1 /dev/urandom | wc -c
    mkfifo p; (echo through > p &); cat p; python3 -c 'print(open("/etc/passwd").read()[:4])'; echo in | cat /dev/stdin`;

  it('what programs need goes on working: files, renames, links, devices, pipes, children', async () => {
    const mounts = [
      ...DEFAULT_MOUNTS,
      ...rows,
      { kind: 'bind', source: folder, target: '/data', writable: true } as const,
    ];
    await withEngine({ landlock: true, mounts }, async (engine) => {
      const result = await engine.run('/bin/sh', ['-c', script]);
      expect([result.stderr.text(), result.stdout.text()]).toEqual(['', 'a\nx\n1\nthrough\nroot\nin\n']);
      await engine.run('/bin/sh', ['-c', 'echo written > /data/f']);
      expect(readFileSync(join(folder, 'f'), 'utf8')).toBe('written\n');
      expect(engine.info().features.landlock.mechanism).toMatch(/^Landlock ABI \d+$/);
    });
  });

  it('it is in force: programs of one session no longer see each other, which their domains forbid', async () => {
    const seen = async (landlock: boolean) =>
      withEngine({ landlock }, async (engine) => {
        await using sandbox = await engine.createSandbox();
        await using _other = await sandbox.spawn(t('sleep-ms'), ['60000']);
        const { stdout } = await sandbox.run('/bin/sh', ['-c', 'echo /proc/[0-9]*']);
        return stdout.text().trim().split(' ').length;
      });
    expect([await seen(false), await seen(true)]).toEqual([2, 1]);
  });

  it('binds programs of sessions, beside each other too, and terminals work', async () => {
    await withEngine({ landlock: true }, async (engine) => {
      await using sandbox = await engine.createSandbox();
      await using _other = await sandbox.spawn(t('sleep-ms'), ['60000']);
      expect(
        (await sandbox.run('/bin/sh', ['-c', 'tty && echo x > f && cat f'], { pty: {} })).stdout.text(),
      ).toMatch(/^\/dev\/pts\/\d+\r\nx\r\n$/);
      expect((await sandbox.run('/bin/cat', ['f'])).stdout.text()).toBe('x\n');
    });
  });
});

describe('core scheduling', () => {
  const feature: Feature = 'core-scheduling';

  it('is refused where the machine has none, or in force; without require it is told in every result', async () => {
    const opened = await Engine.open(engineOptions({ coreScheduling: true })).then(
      async (engine) => {
        const { status } = await engine.run(t('true'));
        await engine.close();
        return status;
      },
      (error) => [error.code, error.details.missing],
    );
    const refused = ['SBX_REQUIRED_FEATURE_MISSING', [feature]];
    expect(opened).toEqual(features[feature].available ? 'ok' : refused);
    await withEngine({ coreScheduling: true, require: ['seccomp'] }, async (engine) => {
      const { status, degraded } = await engine.run(t('true'));
      const told = degraded.some((row) => row.feature === feature);
      expect([status, told]).toEqual(['ok', !features[feature].available]);
    });
  });

  it('is not told where nobody asks for it', async () => {
    await withEngine({}, async (engine) => {
      expect((await engine.run(t('true'))).degraded.map((row) => row.feature)).not.toContain(feature);
    });
  });
});

describe('a CPU for each sandbox', () => {
  const allowed = ['-c', 'grep Cpus_allowed_list /proc/self/status | cut -f2'];

  it('programs have one, of two sandboxes not the same one, and it cannot be widened', async () => {
    await withEngine({ pinning: 'sandbox' }, async (engine) => {
      await using first = await engine.createSandbox();
      await using second = await engine.createSandbox();
      const cpus: string[] = [];
      for (const sandbox of [first, second, first]) {
        cpus.push((await sandbox.run('/bin/sh', allowed)).stdout.text().trim());
      }
      expect(cpus[0]).toMatch(/^\d+$/);
      expect(cpus[2]).toBe(cpus[0]);
      if (engine.info().parallelism > 1) expect(cpus[1]).not.toBe(cpus[0]);
      const widened = await first.run('/bin/sh', [
        '-c',
        `taskset -pc 0-63 $$ >/dev/null 2>&1; ${allowed[1]}`,
      ]);
      expect(widened.stdout.text().trim()).toBe(cpus[0]);
    });
  });

  it('a cpuSet of the run’s own counts instead; without pinning there is none', async () => {
    const { stdout } = await withEngine({}, (engine) => engine.run('/bin/sh', allowed));
    await withEngine({ pinning: 'sandbox' }, async (engine) => {
      const own = await engine.run('/bin/sh', allowed, { limits: { cpuSet: '0' } });
      expect(own.stdout.text()).toBe('0\n');
      const results = await Promise.all([1, 2, 3, 4].map(() => engine.run('/bin/sh', allowed)));
      for (const result of results) expect(result.stdout.text()).toMatch(/^\d+\n$/);
    });
    expect(stdout.text()).not.toBe('');
  });
});
