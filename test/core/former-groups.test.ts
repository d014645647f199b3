/**
 * Groups that slots have used up: few stay, however many programs leave caches in theirs. Takes minutes in an
 * emulated guest, and is not run there.
 */
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MiB, t, useEngine } from '../helpers/engine.js';
import { cgroupFolders } from '../helpers/proc.mjs';
import { until } from '../helpers/wait.js';

const limits = { memoryBytes: 32 * MiB, cpuTimeMs: null, wallTimeMs: null };
/** The engine has so many slots at rest. */
const SLOTS = 3;
/** Of packages/core/src/cgroup/former-groups.ts. */
const FORMER_MAX = 64;

describe('groups that are used up', () => {
  const sbx = useEngine({ readyCount: 1 });

  it('are few, however many programs leave caches in theirs', async () => {
    for (let i = 0; i < FORMER_MAX + 16; i += 1) {
      const { status } = await sbx.engine.run(t('leave-caches'), ['names', '6000'], { limits });
      expect(status).toBe('ok');
    }
    const countGroups = (folder: string) => readdirSync(folder).filter((name) => /^s\d+$/.test(name)).length;
    const most = () => Math.max(...cgroupFolders().map(countGroups)); // v1 keeps those of memory alone
    expect(most()).toBeGreaterThan(FORMER_MAX / 2);
    // While the group of the last run finds its place, the oldest is still being emptied.
    await until(2000, 'the last groups found their places', () => most() <= FORMER_MAX + SLOTS);
  });
});
