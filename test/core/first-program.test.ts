// The process that the first program of a sandbox becomes is made with the sandbox, and waits in init's place
// for the start.
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { processesOfUids } from '../helpers/proc.js';
import { until } from '../helpers/wait.js';

const sbx = useEngine();
const rows = () => processesOfUids(sbx.engine.info().user.uidBase);

describe('a sandbox that stands ready', () => {
  it('has it beside init, and all of its helpers sleep: none counts as load', async () => {
    const named = (wanted: string) => rows().filter(({ name }) => name === wanted);
    const eachHas = (parents: string, children: string) => {
      const theirs = named(children).map(({ parent }) => parent);
      return named(parents).length > 0 && named(parents).every(({ pid }) => theirs.includes(pid));
    };
    // An engine is open when its first sandbox is ready. A keeper of another slot is still being set up, and
    // waits in the kernel for that, until it has an init.
    await until(
      2000,
      'each sandbox has both',
      () => eachHas('sbx-keeper', 'sbx-init') && eachHas('sbx-init', 'sbx-preforked'),
    );
    await sleep(20);
    expect(
      rows()
        .map(({ state }) => state)
        .join(''),
    ).toMatch(/^S+$/);
  });
});

describe('the first program', () => {
  it.each(['wallTimeMs', 'cpuTimeMs'] as const)(
    '%s of 1 holds, though init looks after it only later',
    async (limit) => {
      const { status, usage } = await sbx.engine.run(t('burn-cpu'), ['500'], { limits: { [limit]: 1 } });
      expect(status).toBe(limit === 'wallTimeMs' ? 'wall-limit' : 'cpu-limit');
      expect(usage.wallTimeMs).toBeLessThan(50);
    },
  );

  it('is not told to have used less CPU time than its own clock shows, which runs since it waits', async () => {
    const less: number[] = [];
    for (let i = 0; i < 300; i++) {
      const { stdout, usage } = await sbx.engine.run(t('burn-cpu'), ['1']);
      less.push(Number(stdout) - usage.cpuTimeMs!);
    }
    expect(Math.max(...less)).toBeLessThan(0.05);
  });

  it('may use every CPU, wherever its sandbox was made', async () => {
    for (let i = 0; i < 20; i++) {
      const { stdout } = await sbx.engine.run('/usr/bin/nproc');
      expect(Number(stdout)).toBe(availableParallelism());
      await sleep(3); // meanwhile nothing runs: what it left is made beside the next
    }
  });
});
