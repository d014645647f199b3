// How programs share a busy CPU: what the kernel was told, and what it did.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Limits, Process, ProgramOptions } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { expectMedianBetween } from '../helpers/bounds.js';
import { t, useEngine, withEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { descendants } from '../helpers/proc.js';
import { sleep, timed } from '../helpers/wait.js';

const sbx = useEngine();
const isV2 = () => sbx.engine.info().cgroup.version === 'v2';
/** As the kernel writes it. */
const inKernel = (weight: number) => (isV2() ? weight : Math.round(weight * 10.24));

/** What a file of the sandbox's cgroup says, the one that the only process with this name is in. */
async function fileOf(name: string, file: { v1: string; v2: string }): Promise<string> {
  const find = () => descendants().filter((row) => row.name === name);
  await expect.poll(() => find().length, { timeout: paced(5000) }).toBe(1);
  const lines = readFileSync(`/proc/${find()[0]!.pid}/cgroup`, 'utf8').split('\n');
  const folderOf = (controller: string) =>
    lines.map((line) => line.split(':')).find(([, names]) => names!.split(',').includes(controller))![2]!;
  expect(folderOf(isV2() ? '' : 'cpu')).toContain('/sbx-');
  const path = isV2()
    ? join('/sys/fs/cgroup', dirname(folderOf('')), file.v2) // processes are in `main` below
    : join('/sys/fs/cgroup/cpu', folderOf('cpu'), file.v1);
  return readFileSync(path, 'utf8').trim();
}

const weightOf = async (name: string) => Number(await fileOf(name, { v1: 'cpu.shares', v2: 'cpu.weight' }));
/** Microseconds in each 100 ms. */
const quotaOf = async (name: string) =>
  (await fileOf(name, { v1: 'cpu.cfs_quota_us', v2: 'cpu.max' })).split(' ')[0];

interface Spawner {
  spawn(file: string, args: readonly string[], options: ProgramOptions): Promise<Process>;
}

async function weightWith(limits: Limits, where: Spawner = sbx.engine): Promise<number> {
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
    expect(await weightWith({}, sandbox)).toBe(inKernel(100));
  });

  it('nothing that lifts what a living neighbour was given', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await using _bound = await sandbox.spawn(t('burn-cpu'), ['60000'], {
      limits: { cpuRate: 0.2, cpuWeight: 7 },
    });
    expect(await weightWith({}, sandbox)).toBe(inKernel(7));
    await using _other = await sandbox.spawn(t('sleep-ms'), ['60000'], { limits: { cpuRate: 0.7 } });
    expect(await quotaOf('sleep-ms')).toBe('20000');
  });

  it('another one at the hand-over to a program that waited', async () => {
    const program = { file: '/bin/sh', args: ['main.sh'], entry: 'main.sh' };
    await using standby = sbx.engine.standby();
    standby.keep('shell', { count: 1, program: { ...program, limits: { cpuWeight: 100 } } });
    await standby.ready();
    const request = { ...program, code: 'exec /t/sleep-ms 60000', limits: { cpuWeight: 320, cpuRate: 0.5 } };
    await using running: Process = await standby.spawn('shell', request);
    expect(await weightOf('sleep-ms')).toBe(inKernel(320));
    expect(await quotaOf('sleep-ms')).toBe('50000');
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
  await expectMedianBetween(3, 5, async () => {
    const before = used();
    await sleep(paced(2000));
    const [ofHeavy, ofLight] = used().map((ms, index) => ms - before[index]!);
    return ofHeavy! / ofLight!;
  });
});

it('a program that fills the machine with sessions does not starve this process', async () => {
  await using bomb = await sbx.engine.spawn(t('fork-bomb'), ['deaf'], {
    limits: { processCount: 64, cpuTimeMs: null, wallTimeMs: null },
    stdout: 'null',
    stderr: 'null',
  });
  await sleep(paced(200));
  // Work of 100 ms, as the kernel counts it: in a fair half it takes 200, as one of 33 sessions on a CPU
  // 3300.
  const begin = process.cpuUsage();
  const cpuMs = () => {
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000;
  };
  const { ms } = await timed(async () => {
    while (cpuMs() < 100);
  });
  bomb.kill();
  expect(ms).toBeLessThan(500);
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
