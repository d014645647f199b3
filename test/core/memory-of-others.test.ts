/** Memory runs out above the groups of programs: who has not used it up goes on. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MiB, t, withEngine } from '../helpers/engine.js';
import { removeGroups } from '../helpers/groups.js';
import { descendants } from '../helpers/proc.mjs';
import { sleep } from '../helpers/wait.js';

const ROOT = '/sys/fs/cgroup';
const ABOVE = `sbx-above-${process.pid}`;
const isV2 = existsSync(join(ROOT, 'cgroup.controllers'));
const hierarchies = isV2
  ? [ROOT]
  : ['memory', 'pids', 'cpuacct', 'cpu'].map((controller) => join(ROOT, controller)).filter(existsSync);

/** A container, as engines see it. */
function makeAbove(memoryBytes: number): void {
  if (isV2) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+memory +pids');
  // Some hierarchies have several controllers, and so several names.
  for (const hierarchy of hierarchies) mkdirSync(join(hierarchy, ABOVE), { recursive: true });
  const [limit, swap] = isV2
    ? (['memory.max', 'memory.swap.max'] as const)
    : (['memory.limit_in_bytes', 'memory.memsw.limit_in_bytes'] as const);
  const folder = join(hierarchies[0]!, ABOVE);
  writeFileSync(join(folder, limit), String(memoryBytes));
  if (existsSync(join(folder, swap))) writeFileSync(join(folder, swap), isV2 ? '0' : String(memoryBytes));
}

beforeAll(() => makeAbove(150 * MiB));
afterAll(() => removeGroups(hierarchies.map((each) => join(each, ABOVE))));

it('of a container: other sandboxes', () =>
  withEngine({ cgroup: `/${ABOVE}`, parallelism: 2 }, async (engine) => {
    const limits = { memoryBytes: 300 * MiB };
    const idle = engine.run(t('sleep-ms'), ['1500'], { limits });
    await sleep(300);
    const hungry = engine.run(t('hold-memory'), ['private', `${250 * MiB}`], { limits });
    // Within its own limit, so it is not judged.
    await expect(hungry).rejects.toMatchObject({ code: 'SBX_HOST_MEMORY', retryable: true });
    expect((await idle).status).toBe('ok');
    const next = await engine.run(t('hold-memory'), ['private', `${20 * MiB}`], { limits });
    expect(next.status).toBe('ok');
  }));

it('in a container: who has met its own bound is judged for it', () =>
  withEngine({ cgroup: `/${ABOVE}`, parallelism: 1 }, async (engine) => {
    const limits = { memoryBytes: 32 * MiB };
    const { status } = await engine.run(t('hold-memory'), ['private', `${64 * MiB}`], { limits });
    expect(status).toBe('memory-limit');
  }));

it('in a session of a container: programs live on, and the sandbox with them', () =>
  withEngine({ cgroup: `/${ABOVE}`, parallelism: 1 }, async (engine) => {
    await using sandbox = await engine.createSandbox({ limits: { memoryBytes: 300 * MiB } });
    const idle = await sandbox.spawn(t('sleep-ms'), ['60000']);
    const hungry = sandbox.run(t('hold-memory'), ['private', `${250 * MiB}`]);
    await expect(hungry).rejects.toMatchObject({ code: 'SBX_HOST_MEMORY' });
    expect((await sandbox.run('/bin/true')).status).toBe('ok');
    idle.kill('SIGTERM');
    expect((await idle.result).exitSignal).toBe('SIGTERM');
  }));

it('of a session: programs with bounds of their own, and init rests', () =>
  withEngine({ parallelism: 1 }, async (engine) => {
    await using sandbox = await engine.createSandbox({ limits: { memoryBytes: 64 * MiB } });
    const limits = { memoryBytes: 48 * MiB };
    const idle = await sandbox.spawn(t('sleep-ms'), ['60000'], { limits });
    const hold = () => sandbox.run(t('hold-memory'), ['private', `${40 * MiB}`, '1000'], { limits });
    const held = await Promise.all([hold(), sleep(200).then(hold)]);
    expect(held.map(({ status }) => status)).toContain('memory-limit');
    await sleep(300); // for init to look for victims of the kernel
    const ticks = () =>
      descendants().reduce((sum, row) => sum + (row.name === 'sbx-init' ? row.ticks : 0), 0);
    const before = ticks();
    await sleep(500);
    expect(ticks() - before).toBeLessThan(10);
    idle.kill('SIGTERM');
    const { status, exitSignal } = await idle.result;
    expect([status, exitSignal]).toEqual(['killed', 'SIGTERM']);
  }));
