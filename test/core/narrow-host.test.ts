/** A host that runs on one CPU of several: its programs may leave it, and their limits hold all the same. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { expectMedianBetween } from '../helpers/bounds.js';
import { engineOptions, t } from '../helpers/engine.js';

const LIMIT_MS = 300;
/** Half of what a second CPU adds. */
const OVERSHOOT_MS = LIMIT_MS / 2;

const allowed = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]!;
const first = /^\d+/.exec(allowed)![0];

const script = `
  import { Engine } from '@sbx/core';
  const engine = await Engine.open(${JSON.stringify(engineOptions({ parallelism: 1 }))});
  const args = ['-c', '${allowed}', '${t('burn-cpu')}', '60000', '4'];
  const result = await engine.run('/usr/bin/taskset', args, { limits: { cpuTimeMs: ${LIMIT_MS} } });
  await engine.close();
  console.log(JSON.stringify([result.status, result.usage.cpuTimeMs]));
`;

it('the CPU time of a program that spreads over the others', () =>
  expectMedianBetween(LIMIT_MS, LIMIT_MS + OVERSHOOT_MS, async () => {
    const node = [process.execPath, '--input-type=module', '-e', script];
    const [status, cpuTimeMs] = JSON.parse(
      execFileSync('taskset', ['-c', first, ...node], { encoding: 'utf8' }),
    );
    expect(status).toBe('cpu-limit');
    return cpuTimeMs;
  }));
