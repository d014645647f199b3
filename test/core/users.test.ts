// Users of the host: no two engines have one in common.
import { Engine } from '@sbx/core';
import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => vi.restoreAllMocks());

/** Picks the middle of all blocks, and elsewhere only when it has tried that. */
function pickTheSame(): void {
  let calls = 0;
  vi.spyOn(Math, 'random').mockImplementation(() => (++calls <= 20 ? 0.5 : 0.25));
}

async function open(): Promise<Engine> {
  pickTheSame();
  return Engine.open({ parallelism: 1 });
}

test('groups of whoever opens an engine are not its programs’', async () => {
  const before = process.getgroups!();
  process.setgroups!([...before, 7, 8]);
  try {
    await using engine = await Engine.open({ parallelism: 1 });
    await using sandbox = await engine.createSandbox();
    for (let run = 0; run < 2; run += 1) {
      const { stdout } = await sandbox.run('/bin/grep', ['^Groups:', '/proc/self/status']);
      expect(stdout.text().trim()).toBe('Groups:');
    }
  } finally {
    process.setgroups!(before);
  }
});

test('engines that pick the same have different ones, until the first has closed', async () => {
  const first = await open();
  const { uidBase } = first.info().user;
  {
    await using second = await open();
    expect(second.info().user.uidBase).not.toBe(uidBase);
    expect((await second.run('/usr/bin/id', ['-u'])).status).toBe('ok');
  }
  await first.close();
  await using third = await open();
  expect(third.info().user.uidBase).toBe(uidBase);
});
