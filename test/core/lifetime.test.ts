// Sandboxes that close by themselves.
import { describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { sleep, timed, until } from '../helpers/wait.js';

const sbx = useEngine();

describe('a sandbox with a lifetime', () => {
  it('is closed when it is over, whatever runs in it, and calls say why', async () => {
    const inUse = sbx.engine.counters().sandboxes;
    const sandbox = await sbx.engine.createSandbox({ lifetimeMs: 200 });
    await sandbox.writeFile('f', 'x');
    const { value, ms } = await timed(() => sandbox.run(t('sleep-ms'), ['60000']));
    expect(value.status).toBe('killed');
    expect(ms).toBeLessThan(30_000);
    expect(sandbox.isClosed).toBe(true);
    const closed = { code: 'SBX_CLOSED', message: 'The sandbox is closed: its lifetimeMs of 200 are over.' };
    for (const call of [
      () => sandbox.run(t('true')),
      () => sandbox.spawn(t('true')),
      () => sandbox.readFile('f'),
      () => sandbox.writeFile('f', 'y'),
    ])
      await expect(call()).rejects.toMatchObject(closed);
    expect(() => sandbox.setLifetime(1000)).toThrow(closed.message);
    await sandbox.close(); // as often as one likes
    await until(10_000, 'its place is free', () => sbx.engine.counters().sandboxes === inUse);
  });

  it('stays as long as it is told again', async () => {
    await using sandbox = await sbx.engine.createSandbox({ lifetimeMs: 500 });
    sandbox.setLifetime(60_000);
    await sleep(600);
    expect((await sandbox.run(t('true'))).status).toBe('ok');
    expect(sandbox.isClosed).toBe(false);
    sandbox.setLifetime(null);
    expect((await sandbox.run(t('true'))).status).toBe('ok');
    sandbox.setLifetime(1);
    await until(10_000, 'is closed', () => sandbox.isClosed);
    await expect(sandbox.readdir('.')).rejects.toMatchObject({ code: 'SBX_CLOSED' });
  });

  it('one that was closed by hand does not speak of it', async () => {
    const sandbox = await sbx.engine.createSandbox({ lifetimeMs: 60_000 });
    await sandbox.close();
    await expect(sandbox.run(t('true'))).rejects.toMatchObject({ message: 'The sandbox is closed.' });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5m'])('refuses %s', async (ms) => {
    const refusal = { code: 'SBX_INVALID_OPTIONS' };
    const made = sbx.engine.createSandbox({ lifetimeMs: ms as number });
    await expect(made).rejects.toMatchObject({ ...refusal, field: 'options.lifetimeMs' });
    await using sandbox = await sbx.engine.createSandbox();
    expect(() => sandbox.setLifetime(ms as number)).toThrow(
      expect.objectContaining({ ...refusal, field: 'ms' }),
    );
  });
});
