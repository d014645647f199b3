import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { OWNER_TAG, ownerTag, removeAbandoned } from './owner.js';

const folder = mkdtempSync(join(tmpdir(), 'sbx-owner-test-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Names of entries that are given to `remove`. */
async function abandonedOf(names: readonly string[]): Promise<string[]> {
  for (const name of names) writeFileSync(join(folder, name), '');
  const removed: string[] = [];
  await removeAbandoned(folder, new RegExp(`^own-${OWNER_TAG}-\\w+$`), async (path) => {
    removed.push(basename(path));
    rmSync(path);
  });
  return removed.sort();
}

test('goes: what belongs to a process that has ended, or to another than has the pid now', async () => {
  const [namespace, pid, startedAt] = ownerTag().split('-');
  const child = spawn('/bin/true');
  await once(child, 'exit');
  const dead = `own-${namespace}-${child.pid}-${startedAt}-a`;
  const reused = `own-${namespace}-${pid}-${Number(startedAt) - 1}-a`;
  expect(await abandonedOf([dead, reused])).toEqual([dead, reused].sort());
});

test('stays: what belongs to this process, to another pid namespace, and what bears no tag', async () => {
  const [namespace, pid, startedAt] = ownerTag().split('-');
  const others = [`own-${Number(namespace) + 1}-${pid}-1-a`, 'own-a', `own-${namespace}-x-1-a`, 'other'];
  expect(await abandonedOf([`own-${namespace}-${pid}-${startedAt}-a`, ...others])).toEqual([]);
});
