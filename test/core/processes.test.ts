// The programs that live in a session, as a list.
import { expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { until } from '../helpers/wait.js';

const sbx = useEngine();

it('those of run, sh and spawn, in the order of their starts, until they have ended', async () => {
  await using sandbox = await sbx.engine.createSandbox();
  expect(sandbox.processes()).toEqual([]);
  const spawned = await sandbox.spawn(t('sleep-ms'), ['60000']);
  const args = ['60000'];
  const run = sandbox.run(t('sleep-ms'), args);
  await until(2000, 'two live', () => sandbox.processes().length === 2);
  args.push('of the caller');
  const line = sandbox.sh`sleep 60`;
  await until(2000, 'three live', () => sandbox.processes().length === 3);

  const list = sandbox.processes();
  const sleep = { file: t('sleep-ms'), args: ['60000'] };
  expect(list).toMatchObject([sleep, sleep, { file: '/bin/sh', args: ['-c', 'sleep 60'] }]);
  expect(list[0]!.id).toBe(spawned.id);
  expect(new Set(list.map(({ id }) => id)).size).toBe(3);
  for (const { ageMs, usage } of list) {
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(usage().wallTimeMs).toBeGreaterThanOrEqual(ageMs);
  }

  for (const { kill } of list) kill();
  const ends = await Promise.all([spawned.result, run, line]);
  expect(ends.map(({ status }) => status)).toEqual(['killed', 'killed', 'killed']);
  expect(sandbox.processes()).toEqual([]);
  for (const { kill } of list) kill(); // they have ended
});

it('one that fails to start is in no list, and none of a closed sandbox is', async () => {
  const sandbox = await sbx.engine.createSandbox();
  await expect(sandbox.spawn('./missing')).rejects.toMatchObject({ code: 'SBX_PROGRAM_NOT_FOUND' });
  expect(sandbox.processes()).toEqual([]);
  const { result } = await sandbox.spawn(t('sleep-ms'), ['60000']);
  expect(sandbox.processes()).toHaveLength(1);
  await sandbox.close();
  expect(sandbox.processes()).toEqual([]);
  expect((await result).status).toBe('killed');
});

it('takes signals as a process does, and refuses what is none', async () => {
  await using sandbox = await sbx.engine.createSandbox();
  const { result } = await sandbox.spawn(t('sleep-ms'), ['60000']);
  const [only] = sandbox.processes();
  const wrong = { code: 'SBX_INVALID_OPTIONS', field: 'signal', hint: "Did you mean 'SIGINT'?" };
  expect(() => only!.kill('int' as 'SIGINT')).toThrow(expect.objectContaining(wrong));
  only!.kill('SIGINT');
  expect(await result).toMatchObject({ status: 'killed', exitSignal: 'SIGINT' });
});
