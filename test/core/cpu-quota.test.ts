/** An engine in a container with a CPU quota runs as many programs at once as that pays for. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { removeGroups } from '../helpers/groups.js';
import { root } from '../tidy/sources.js';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;
const isV2 = existsSync(join(ROOT, 'cgroup.controllers'));
const container = join(ROOT, isV2 ? '' : 'cpu', `sbx-quota-${process.pid}`);

const CORE = pathToFileURL(join(root, 'packages/core/dist/index.js'));
const CODE = `import(${JSON.stringify(CORE)}).then(async ({ availableCpus, Engine }) => {
  const engine = await Engine.open({ require: [] });
  console.log(JSON.stringify([availableCpus(), engine.info().parallelism]));
  await engine.close();
});`;

/** `[availableCpus(), parallelism]` of a process in a group below one with that quota. */
async function parallelismWith(cpus: number): Promise<[number, number]> {
  if (isV2) writeFileSync(join(ROOT, 'cgroup.subtree_control'), '+cpu');
  const inner = join(container, 'inner');
  mkdirSync(inner, { recursive: true });
  try {
    const quotaUs = String(cpus * PERIOD_US);
    if (isV2) writeFileSync(join(container, 'cpu.max'), `${quotaUs} ${PERIOD_US}`);
    else writeFileSync(join(container, 'cpu.cfs_quota_us'), quotaUs);
    const enter = `echo $$ > ${inner}/cgroup.procs && exec "$0" -e "$1"`;
    const text = execFileSync('sh', ['-c', enter, process.execPath, CODE], { encoding: 'utf8' });
    return JSON.parse(text) as [number, number];
  } finally {
    await removeGroups([inner, container]);
  }
}

it('in whole CPUs, and one at least', async () => {
  expect(await parallelismWith(0.5)).toEqual([1, 1]);
  expect(await parallelismWith(1.9)).toEqual([1, 1]);
});

it('and no more than there are', async () => {
  const cpus = availableParallelism();
  expect(await parallelismWith(cpus + 3)).toEqual([cpus, cpus]);
});
