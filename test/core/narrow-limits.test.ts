/** Memory limits so low that no sandbox can be made below them are not there when the next one is made. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MiB, withEngine } from '../helpers/engine.js';
import { cgroupFolders } from '../helpers/proc.mjs';
import { until } from '../helpers/wait.js';

/** Of the groups in which sandboxes of this process are. */
function memoryLimits(): number[] {
  const groups = cgroupFolders().flatMap((folder) =>
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name)),
  );
  return groups.flatMap((group) => {
    const file = ['memory.max', 'memory.limit_in_bytes'].map((name) => join(group, name)).find(existsSync);
    const text = file === undefined ? null : readFileSync(file, 'latin1').trim();
    return text === null ? [] : [text === 'max' ? Number.POSITIVE_INFINITY : Number(text)];
  });
}

const limits = { memoryBytes: 4096 };

it.each(['a start that failed', 'a program that had no room'])('%s with one leaves none behind', (what) =>
  withEngine({ parallelism: 1 }, async (engine) => {
    for (let count = 0; count < 3; count += 1) {
      const ended = await engine
        .run(what.includes('start') ? '/etc/passwd' : '/bin/true', [], { limits })
        .then(
          ({ status }) => status,
          ({ code }) => code,
        );
      expect(['memory-limit', 'SBX_PROGRAM_NOT_EXECUTABLE']).toContain(ended);
      await until(5000, 'the next sandbox stands, in a group with room', () => {
        const all = memoryLimits();
        return engine.counters().ready > 0 && all.length > 0 && Math.min(...all) >= 8 * MiB;
      });
    }
    expect((await engine.run('/bin/true', [], { limits: { memoryBytes: 64 * MiB } })).status).toBe('ok');
  }),
);
