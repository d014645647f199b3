/** Descriptors that outlive their program, because no process has them or because another program does. */
import { describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';

const sbx = useEngine({ parallelism: 1 });
const limits = { wallTimeMs: 3000 };

describe('sockets that wait in each other’s queues', () => {
  it('the next sandbox finds no name of theirs', async () => {
    for (let round = 0; round < 20; round += 1) {
      const left = await sbx.engine.run(t('leave-open'), ['name'], { limits });
      expect(left.stdout.text()).toBe('bound\n');
      const sandbox = await sbx.engine.createSandbox();
      const first = await sandbox.run(t('leave-open'), ['name'], { limits });
      await sandbox.close();
      expect(first.stdout.text()).toBe('bound\n');
    }
  });

  it('an output that waits there ends with its program', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    for (let round = 0; round < 5; round += 1) {
      const process = await sandbox.spawn(t('leave-open'), ['stdout'], { stdout: 'pipe', limits });
      const text = process.stdout!.text();
      expect((await process.result).status).toBe('ok');
      expect(await text).toBe('said\n');
    }
  }, 10_000);
});

describe('an output that another program of the session has', () => {
  it.each(['pipe', 'capture'] as const)('%s: ends with its own program', async (stdout) => {
    await using sandbox = await sbx.engine.createSandbox();
    const keeper = await sandbox.spawn(t('leave-open'), ['keep', 's'], { stdout: 'pipe', limits });
    for await (const _ready of keeper.stdout!) break;
    const process = await sandbox.spawn(t('leave-open'), ['give', 's'], { stdout, limits });
    const text = process.stdout?.text();
    const result = await process.result;
    expect(result.status).toBe('ok');
    expect((await text) ?? result.stdout.text()).toBe('said\n');
    expect(keeper.usage().wallTimeMs).toBeLessThan(limits.wallTimeMs);
    keeper.kill();
    expect((await keeper.result).status).toBe('killed');
  });
});

describe('leases', () => {
  it('keep neither the next program from its start nor the host from a file', async () => {
    await using sandbox = await sbx.engine.createSandbox();
    await sandbox.run('/bin/cp', ['/bin/true', 'tool']);
    const leased = await sandbox.run(t('leave-open'), ['lease', 'tool'], { limits, copyOut: ['tool'] });
    expect(leased.stdout.text()).toBe('EPERM\n');
    expect(leased.status).toBe('ok');
    expect((await sandbox.run('./tool', [], { limits })).status).toBe('ok');
  });
});
