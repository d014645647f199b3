import { readdirSync, readFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { besideLoad } from './beside-load.mjs';

const good = { passed: 2, failed: 0, skipped: 0, failures: [] };

/** Processes of ours that never wait. */
function busyCount() {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  return children.filter((pid) => pid !== '' && readdirSync('/proc').includes(pid) && isBusy(pid)).length;
}

function isBusy(pid) {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('while (process.ppid === parent)');
}

test('all runs are made while a process is busy, which ends with them', async () => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const seen = [];
  const counts = await besideLoad(3, async () => {
    await vi.waitFor(() => expect(busyCount()).toBe(1));
    seen.push('run');
    return good;
  });
  expect([seen.length, counts.passed, counts.failed]).toEqual([3, 6, 0]);
  await vi.waitFor(() => expect(busyCount()).toBe(0));
});

test.each([
  ['failed', { failed: 1 }],
  ['was skipped', { skipped: 1 }],
])('the first run in which a test %s is the last', async (_, change) => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined);
  const test = vi.fn(async () => ({ ...good, ...change }));
  expect(await besideLoad(3, test)).toMatchObject(change);
  expect(test).toHaveBeenCalledTimes(1);
});

test('a number of runs that is none is refused', async () => {
  await expect(besideLoad(Number('x'))).rejects.toThrow('SBX_RUNS: must be a number of runs, from 1');
});
