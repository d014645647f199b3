// Everything at once, in any order: runs, sessions, streams, groups, aborts and closes of well- and
// ill-behaved programs. What each does is tested elsewhere; here every outcome must be a status or one of the
// errors that closing and aborting give.
import type { Engine, RunResult } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { MiB, t, withEngine } from '../helpers/engine.js';
import { eventually, sleep } from '../helpers/wait.js';

const DURATION_MS = 8000;
const LOOPS = 8;

const PROGRAMS: [name: string, ...args: string[]][] = [
  ['true'],
  ['exit-with', '3'],
  ['die-by', 'segv'],
  ['burn-cpu', '50'],
  ['sleep-ms', '30'],
  ['flood', '1', '300000'],
  ['fork-bomb', 'gone'],
  ['deaf'],
  ['stop-others'],
  ['kill-around'],
  ['hold-memory', 'private', String(90 * MiB)],
  ['leave-orphan'],
  ['vfork-chain'],
];
const TIMES = { cpuTimeMs: 100, wallTimeMs: 150 };
const LIMITS = { ...TIMES, memoryBytes: 64 * MiB, processCount: 16, outputBytes: 100_000 };

/** Small and repeatable: a failure names its seed. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
type Random = ReturnType<typeof randomFrom>;

const ABORTED = new Error('aborted');
/** Closed meanwhile; full of what a neighbour in the same sandbox forks. */
const REASONS = ['SBX_CLOSED', 'SBX_OVERLOADED'];

function anyProgram(random: Random): [file: string, args: string[]] {
  const [name, ...args] = PROGRAMS[random(PROGRAMS.length)]!;
  return [t(name), args];
}

async function oneShot(engine: Engine, random: Random): Promise<RunResult[]> {
  const files = { x: '1' };
  return [
    await engine.run(...anyProgram(random), {
      limits: LIMITS,
      files,
      copyOut: [{ path: 'x', optional: true }],
    }),
  ];
}

async function aborted(engine: Engine, random: Random): Promise<RunResult[]> {
  const controller = new AbortController();
  setTimeout(() => controller.abort(ABORTED), random(60));
  return [await engine.run(...anyProgram(random), { limits: LIMITS, signal: controller.signal })];
}

async function session(engine: Engine, random: Random): Promise<RunResult[]> {
  const sandbox = await engine.createSandbox({ limits: { memoryBytes: 64 * MiB, processCount: 32 } });
  const runs = Promise.all([0, 1, 2].map(() => sandbox.run(...anyProgram(random), { limits: TIMES })));
  runs.catch(() => undefined); // it is awaited after the closing
  await sleep(random(100));
  await sandbox.close();
  return runs;
}

async function streams(engine: Engine, random: Random): Promise<RunResult[]> {
  await using sandbox = await engine.createSandbox();
  const process = await sandbox.spawn(...anyProgram(random), {
    stdin: 'pipe',
    stdout: 'pipe',
    limits: TIMES,
  });
  process.stdin!.write('x'.repeat(random(200_000))).catch(() => undefined); // it may leave it unread
  for await (const _ of process.stdout!) if (random(3) === 0) break;
  process.kill();
  return [await process.result];
}

async function group(engine: Engine, random: Random): Promise<RunResult[]> {
  const [file, args] = anyProgram(random);
  const record = random(2) === 0 ? { maxBytes: 100 } : undefined;
  const { results } = await engine.runGroup({
    programs: [
      { file, args, limits: LIMITS },
      { file: t('sum-fd'), args: ['0'], limits: LIMITS },
    ],
    pipes: [{ from: { index: 0, fd: 1 }, to: { index: 1, fd: 0 }, record }],
  });
  return results;
}

const DEEDS = [oneShot, oneShot, aborted, session, streams, group];

describe('chaos', () => {
  it('gives a status or a reason for everything, and leaves nothing', async () => {
    const seed = Date.now() % 2 ** 31;
    const random = randomFrom(seed);
    const strange: string[] = [];
    let results = 0;
    await withEngine({ parallelism: 4, maxSandboxes: 40 }, async (engine) => {
      const end = performance.now() + DURATION_MS;
      const loop = async () => {
        while (performance.now() < end) {
          try {
            results += (await DEEDS[random(DEEDS.length)]!(engine, random)).length;
          } catch (error) {
            if (error !== ABORTED && !REASONS.includes((error as { code?: string }).code ?? ''))
              strange.push(String(error));
          }
        }
      };
      await Promise.all(Array.from({ length: LOOPS }, loop));
      // The last clean-ups follow their answers.
      await eventually(1000, () => {
        const { startedTotal, finishedTotal, running, sandboxes } = engine.counters();
        const left = [startedTotal - finishedTotal, running, sandboxes];
        return left.every((count) => count === 0) ? [] : [`${left}`];
      });
    });
    expect(strange, `seed ${seed}`).toEqual([]);
    expect(results).toBeGreaterThan(50); // it did happen
  }, 60_000);
});
