// How programs share a busy CPU: what the kernel was told, and what it did.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Engine, Limits, Process, Sandbox } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { descendants } from '../helpers/proc.js';
import { sleep } from '../helpers/wait.js';

const sbx = useEngine();
const isV2 = () => sbx.engine.info().cgroup.version === 'v2';
/** As the kernel writes it. */
const inKernel = (weight: number) => (isV2() ? weight : Math.round(weight * 10.24));

/** Weight of the sandbox's cgroup that the only process with this name is in; `null` when it is in none. */
async function weightOf(name: string): Promise<number | null> {
  const find = () => descendants().filter((row) => row.name === name);
  await expect.poll(() => find().length, { timeout: paced(5000) }).toBe(1);
  const lines = readFileSync(`/proc/${find()[0]!.pid}/cgroup`, 'utf8').split('\n');
  const folderOf = (controller: string) =>
    lines.map((line) => line.split(':')).find(([, names]) => names!.split(',').includes(controller))![2]!;
  if (!folderOf(isV2() ? '' : 'cpu').includes('/sbx-')) return null;
  const file = isV2()
    ? join('/sys/fs/cgroup', dirname(folderOf('')), 'cpu.weight') // processes are in `main` below
    : join('/sys/fs/cgroup/cpu', folderOf('cpu'), 'cpu.shares');
  return Number(readFileSync(file, 'utf8'));
}

async function weightWith(limits: Limits, where: Engine | Sandbox = sbx.engine): Promise<number | null> {
  await using program = await where.spawn(t('sleep-ms'), ['60000'], { limits });
  return await weightOf('sleep-ms').finally(() => program.kill());
}

describe('the kernel is told', () => {
  it.each([1, 50, 100, 250, 10_000])('%d', async (weight) => {
    expect(await weightWith({ cpuWeight: weight })).toBe(inKernel(weight));
  });

  it('of a rate beside it', async () => {
    expect(await weightWith({ cpuWeight: 300, cpuRate: 0.5 })).toBe(inKernel(300));
    expect(await weightWith({ cpuRate: 0.5 })).toBe(inKernel(100));
  });

  it('nothing that stays: the next program of a sandbox has an ordinary one', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    expect(await weightWith({ cpuWeight: 7 }, sandbox)).toBe(inKernel(7));
    expect(await weightWith({}, sandbox)).toBe(isV2() ? 100 : null);
  });

  it('another one at the hand-over to a program that waited', async () => {
    const program = { file: '/bin/sh', args: ['main.sh'], entry: 'main.sh' };
    await using standby = sbx.engine.standby();
    standby.keep('shell', { count: 1, program: { ...program, limits: { cpuWeight: 100 } } });
    await standby.ready();
    const request = { ...program, code: 'exec /t/sleep-ms 60000', limits: { cpuWeight: 320 } };
    await using running: Process = await standby.spawn('shell', request);
    expect(await weightOf('sleep-ms')).toBe(inKernel(320));
    running.kill();
    expect(standby.counters().shell).toMatchObject({ warm: 1, cold: 0 });
  });
});

it('four to one is four to one on a CPU that both want', async () => {
  const burn = (cpuWeight: number) =>
    sbx.engine.spawn(t('burn-cpu'), ['60000'], { limits: { cpuWeight, cpuSet: '0', cpuTimeMs: null } });
  await using heavy = await burn(400);
  await using light = await burn(100);
  // While both run: whoever starts first has been alone for a moment.
  const used = () => [heavy, light].map((program) => program.usage().cpuTimeMs);
  await expect.poll(() => Math.min(...used()), { timeout: paced(5000) }).toBeGreaterThan(50);
  const before = used();
  await sleep(paced(2000));
  const [ofHeavy, ofLight] = used().map((ms, index) => ms - before[index]!);
  expect(ofHeavy! / ofLight!).toBeGreaterThan(3);
  expect(ofHeavy! / ofLight!).toBeLessThan(5);
});

it('without a cgroup it is told as missing', async () => {
  await withEngine({ cgroup: 'none', require: [] }, async (engine) => {
    const { degraded, status } = await engine.run(t('true'), [], { limits: { cpuWeight: 200 } });
    expect(status).toBe('ok');
    expect(degraded.map(({ feature }) => feature)).toContain('cpu-weight');
    const plain = await engine.run(t('true'));
    expect(plain.degraded.map(({ feature }) => feature)).not.toContain('cpu-weight');
  });
});
