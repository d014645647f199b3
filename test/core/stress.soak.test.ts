// Many at once, many in a row, and a host that dies in the middle.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EngineInfo, Limits, RunResult } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { engineOptions, MiB, t, withEngine } from '../helpers/engine.js';
import { isHelper, takeFootprint } from '../helpers/leaks.js';
import { cgroupFolders, descendants, listProcesses, processesOfUids } from '../helpers/proc.mjs';
import { eventually, sleep } from '../helpers/wait.js';

const helper = (name: string) => fileURLToPath(new URL(`../helpers/${name}`, import.meta.url));
const mounts = () => JSON.stringify(engineOptions().mounts);

describe('two hundred sandboxes at once', () => {
  it('each with its own file, process and answer', async () => {
    await withEngine({ maxSandboxes: 256 }, async (engine) => {
      const made = await Promise.all(
        Array.from({ length: 200 }, (_, i) => engine.createSandbox({ files: { id: String(i) } })),
      );
      const living = await Promise.all(made.map((sandbox) => sandbox.spawn(t('sleep-ms'), ['600000'])));
      expect(
        processesOfUids(engine.info().user.uidBase).filter((row) => row.name === 'sleep-ms'),
      ).toHaveLength(200);
      const seen = await Promise.all(made.map((sandbox) => sandbox.run('/bin/cat', ['id'])));
      expect(seen.map((result) => result.stdout.text())).toEqual(made.map((_, i) => String(i)));
      const uids = new Set(processesOfUids(engine.info().user.uidBase).map((row) => row.uid));
      expect(uids.size).toBeGreaterThanOrEqual(200);
      await Promise.all(made.map((sandbox) => sandbox.close()));
      for (const process of living) expect((await process.result).status).toBe('killed');
    });
  }, 60_000);

  it('more at once than the helper’s socket takes: all come', async () => {
    await withEngine({ maxSandboxes: 400, parallelism: 400 }, async (engine) => {
      const made = await Promise.all(Array.from({ length: 400 }, () => engine.createSandbox()));
      expect(engine.counters().sandboxes).toBe(400);
      await Promise.all(made.map((sandbox) => sandbox.close()));
    });
  }, 60_000);

  it('mixed fates, 20 rounds: each verdict as when alone', async () => {
    const limits = {
      cpuTimeMs: 100,
      wallTimeMs: 20_000,
      memoryBytes: 128 * MiB,
      processCount: 16,
      outputBytes: 10_000,
    };
    const fates: [program: string, args: string[], status: RunResult['status'], own?: Limits][] = [
      ['true', [], 'ok'],
      ['exit-with', ['3'], 'exit'],
      ['die-by', ['segv'], 'signal'],
      ['burn-cpu', ['9999'], 'cpu-limit'],
      ['hold-memory', ['private', String(256 * MiB)], 'memory-limit', { cpuTimeMs: 5000 }],
      ['flood', ['1', '0'], 'output-limit'],
      ['fork-bomb', ['plain'], 'cpu-limit', { memoryBytes: null }], // the kernel keeps much of many forks
      ['int80', [], 'forbidden-syscall'],
    ];
    await withEngine({ parallelism: 16 }, async (engine) => {
      for (let round = 0; round < 20; round++) {
        const runs = fates
          .flatMap((fate) => [fate, fate])
          .map(async ([program, args, status, own]) => {
            const result = await engine.run(t(program), args, { limits: { ...limits, ...own } });
            return `${program} ${result.status === status ? 'as expected' : result.status}`;
          });
        const wrong = (await Promise.all(runs)).filter((line) => !line.endsWith('as expected'));
        expect(wrong, `round ${round}`).toEqual([]);
      }
    });
  }, 120_000);
});

/**
 * Growth allowed between the second and the last tenth: allocators settle, 20 000 leaks of 200 bytes would
 * show as 3.5 MiB.
 */
const RSS_GROWTH = 4 * MiB;

describe('20 000 runs in a row', () => {
  it('leave memory and descriptors as they were', async () => {
    // A young generation of fixed size: else V8 enlarges it for its own reasons during the first 15 000 runs.
    const args = ['--expose-gc', '--max-semi-space-size=2', helper('steady-runs.mjs'), mounts(), '20000'];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const { rss, descriptors, failures } = JSON.parse(stdout) as {
      rss: number[];
      descriptors: number[];
      failures: number;
    };
    expect(failures).toBe(0);
    expect(rss.at(-1)! - rss[1]!, `RSS in MiB: ${rss.map((bytes) => (bytes / MiB).toFixed(1))}`).toBeLessThan(
      RSS_GROWTH,
    );
    // Slots being made ready hold a few more or less at any moment.
    expect(Math.abs(descriptors.at(-1)! - descriptors[1]!), `${descriptors}`).toBeLessThanOrEqual(24);
  }, 120_000);
});

describe('host killed with SIGKILL', () => {
  it.each([200, 400, 700])(
    'leaves nothing within a second (killed %i ms after all was running)',
    async (delay) => {
      const before = takeFootprint();
      const host = spawn(process.execPath, [helper('host-to-kill.mjs'), mounts()], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [line] = (await once(host.stdout, 'data')) as [Buffer];
      const info = JSON.parse(line.toString()) as EngineInfo;
      const helpers = descendants(host.pid).map((row) => row.pid);
      expect(helpers.length).toBeGreaterThan(10);
      await sleep(delay);
      host.kill('SIGKILL');
      await once(host, 'close');
      await eventually(1000, () => [
        ...processesOfUids(info.user.uidBase).map((row) => `process ${row.pid} ${row.name} ${row.state}`),
        ...listProcesses()
          // Reaping is pid 1's.
          .filter((row) => isHelper(row) && helpers.includes(row.pid) && row.state !== 'Z')
          .map((row) => `helper ${row.pid} ${row.state}`),
        ...cgroupFolders(host.pid).map((path) => `cgroup ${path}`),
        ...(takeFootprint().mounts === before.mounts ? [] : ['mounts changed']),
      ]);
    },
  );
});
