// Many managed processes in one host: nobody waits for long, nothing is done while nobody asks, no thread is
// taken.
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FifoManager } from '@sbx/fifo-protocol/server';
import { expect, test } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { execute } from '../helpers/fifo.js';
import { listThreads } from '../helpers/proc.js';
import { sleep, timed } from '../helpers/wait.js';
import { buildPrograms } from '../programs/build.mjs';

const COUNT = 500;
const ROUNDS = 5;
const suite = useEngine();

async function withMany(use: (dirs: string[]) => Promise<void>): Promise<void> {
  // 64 programs can live in one.
  const shape = { limits: { processCount: 256, memoryBytes: 2 ** 28 } };
  const sandboxes = await Promise.all(Array.from({ length: 10 }, () => suite.engine.createSandbox(shape)));
  const limits = { wallTimeMs: 120_000, processCount: 4 };
  const program = { stdin: 'null', stdout: 'null', stderr: 'null', limits } as const;
  const managers = await Promise.all(
    Array.from({ length: COUNT }, (_, index) =>
      FifoManager.open(() => sandboxes[index % 10]!.spawn(t('sleep-ms'), ['120000'], program)),
    ),
  );
  try {
    await Promise.all(managers.map(({ started }) => started));
    expect(managers.filter(({ program }) => program === null)).toEqual([]);
    await use(managers.map(({ dir }) => dir));
  } finally {
    await Promise.all(managers.map((manager) => manager.close()));
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  }
}

/** How often threads of this process have gone to sleep, and so how often they woke up. */
const ownWakeUps = () => listThreads().reduce((sum, { sleeps }) => sum + sleeps, 0);

const ask = (count: number, dirs: readonly string[]) =>
  execute(join(buildPrograms(), 'fifo-ask'), ['1', String(count), ...dirs]);

const numbersOf = (lines: string) => lines.trim().split('\n').map(Number);
const percentile = (numbers: readonly number[], part: number) =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * part)]!;

test(`${COUNT} at once: answers, idleness, and file work of the host`, { timeout: 120_000 }, async () => {
  await withMany(async (dirs) => {
    // Every one, one after the other.
    const inTurn = numbersOf(await ask(COUNT, dirs));
    expect(percentile(inTurn, 0.5)).toBeLessThan(5000);

    // All at the same time.
    const ALL = `import os, sys, time, threading
def ask(d, out):
    start = time.monotonic()
    with open(d + "/wait", "wb", 0) as p: p.write(b"1")
    with open(d + "/status") as p: lines = p.read().split("\\n")
    assert lines[2] == "process running normally", lines
    out.append((time.monotonic() - start) * 1e6)
out = []
threads = [threading.Thread(target=ask, args=(d, out)) for d in sys.argv[1:]]
for one in threads: one.start()
for one in threads: one.join()
print("\\n".join(map(str, out)))`;
    const medians: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const atOnce = numbersOf(await execute('python3', ['-c', ALL, ...dirs]));
      expect(atOnce).toHaveLength(COUNT);
      medians.push(percentile(atOnce, 0.5));
    }
    expect(Math.min(...medians)).toBeLessThan(50_000); // what a busy machine adds is in the others

    // Nobody asks: what polls wakes up all the time, what spins takes a CPU.
    const seconds: { wakeUps: number; cpuSeconds: number }[] = [];
    const isQuiet = () => seconds.some(({ wakeUps }) => wakeUps < 50);
    do {
      const before = { cpu: process.cpuUsage(), wakeUps: ownWakeUps() };
      await sleep(1000);
      const { user, system } = process.cpuUsage(before.cpu);
      seconds.push({ wakeUps: ownWakeUps() - before.wakeUps, cpuSeconds: (user + system) / 1e6 });
      // V8 may collect in one of them; what polls is in each.
    } while (seconds.length < 5 && !isQuiet());
    expect(seconds).toSatisfy(isQuiet);
    expect(Math.min(...seconds.map(({ cpuSeconds }) => cpuSeconds))).toBeLessThan(0.5);

    // Half of them have been asked and are never read; the host still reads and writes files.
    for (const dir of dirs.slice(0, 250)) await writeFile(join(dir, 'wait'), '1');
    const path = join(tmpdir(), `sbx-fifo-file-${process.pid}`);
    const times: number[] = [];
    for (let i = 0; i < 50; i += 1) times.push((await timed(() => writeFile(path, 'x'))).ms);
    await execute('rm', [path]);
    expect(percentile(times, 0.5)).toBeLessThan(20);

    // And the others are answered as before.
    expect(percentile(numbersOf(await ask(250, dirs.slice(250))), 0.5)).toBeLessThan(50_000);
  });
});
