// Programs of a group that ask and answer in turn: they meet on one CPU, and lose nothing by it.
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { DEFAULT_ENV, type GroupPipe, type GroupProgram } from '@sbx/core';
import { describe, expect, it } from 'vitest';
import { t, useEngine } from '../helpers/engine.js';
import { paced } from '../helpers/pace.js';
import { descendants, readOrNull } from '../helpers/proc.js';
import { sleep } from '../helpers/wait.js';

const sbx = useEngine();

const pipe = (from: number, to: number, more: Partial<GroupPipe> = {}): GroupPipe => ({
  from: { index: from, fd: 4 },
  to: { index: to, fd: 3 },
  ...more,
});
const circle = [pipe(0, 1), pipe(1, 0)];

/** CPUs that each living program of that name may use now, as the kernel writes them. */
function placesOf(program: string): string[] {
  const rows = descendants().filter(({ name }) => name === program);
  const statuses = rows.map(({ pid }) => readOrNull(`/proc/${pid}/status`) ?? ''); // it may just have ended
  return statuses.flatMap((status) => /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? []);
}

/** Two that talk until they are killed; whether they were seen on one and the same CPU within `ms`. */
async function meet(pipes: GroupPipe[], ms: number): Promise<boolean> {
  const talk = (name: string): GroupProgram => ({ file: t('talk'), args: ['1000000000', name] });
  await using group = await sbx.engine.spawnGroup({ programs: [talk('first'), talk('second')], pipes });
  let met = false;
  for (const until = performance.now() + ms; performance.now() < until && !met; await sleep(1)) {
    const [first, second] = placesOf('talk');
    met = first !== undefined && first === second && /^\d+$/.test(first);
  }
  for (const program of group.processes) program?.kill();
  return met;
}

const HAS_CHOICE = availableParallelism() > 1;

describe('two that ask and answer', () => {
  it('meet on one CPU', async () => {
    expect(await meet(circle, paced(5000))).toBe(true);
  });

  it('stay where they are when a relay stands between them', async () => {
    const relayed = circle.map((one) => ({ ...one, relay: true as const }));
    expect(await meet(relayed, 300)).toBe(!HAS_CHOICE);
  });

  it('leave nothing of what they made meanwhile on that CPU', async () => {
    const script = `
import os, threading, time
first = os.environ['NAME'] == 'first'
until = time.monotonic() + 0.6
if first: os.write(4, b'x')
children = 0
while os.read(3, 1) == b'x':
    if time.monotonic() > until: os.write(4, b'.'); break
    if threading.active_count() < 12 and time.monotonic() > until - 0.5 + 0.04 * threading.active_count():
        threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
        children += 1
        if children % 4 == 0 and os.fork() == 0: time.sleep(9); os._exit(0)
    os.write(4, b'x')
time.sleep(0.1)
# A late look holds the first thread once more, for what it did before: it alone. So may the work below.
free, until = int(os.environ['CPUS']), time.monotonic() + 2
while (own := len(os.sched_getaffinity(0))) < free and time.monotonic() < until: time.sleep(0.02)
tasks = [int(task) for pid in os.listdir('/proc') if pid.isdigit() and pid != '1' for task in os.listdir(f'/proc/{pid}/task')]
print(len(tasks), min(own, *(len(os.sched_getaffinity(task)) for task in tasks if task != os.getpid())), flush=True)
os._exit(0)`;
    const program = (NAME: string): GroupProgram => ({
      file: 'python3',
      args: ['-c', script],
      env: { ...DEFAULT_ENV, NAME, CPUS: String(availableParallelism()) },
      limits: { processCount: 40, wallTimeMs: paced(5000) },
    });
    const { results } = await sbx.engine.runGroup({
      programs: [program('first'), program('second')],
      pipes: circle,
    });
    for (const { stdout, stderr } of results) {
      expect(stderr.text()).toBe('');
      const [tasks, cpus] = stdout.text().split(' ').map(Number);
      expect(tasks).toBeGreaterThan(8);
      expect(cpus).toBe(availableParallelism());
    }
  });

  // By where they may run, not by what they did: that depends on who else is there. Whom others leave little
  // CPU time works in spurts, as one that waits for answers does, but it never sleeps.
  it.each([
    ['on a quiet machine', 0],
    ['beside others that take every CPU', availableParallelism() * 2],
  ])('work at once when both have something to do: %s', async (_, others) => {
    const script = `
import os, time
until = time.monotonic() + 1
samples = held = 0
while time.monotonic() < until: samples += 1; held += len(os.sched_getaffinity(0)) == 1
print(samples, held / samples)`;
    const limits = { cpuTimeMs: null, wallTimeMs: paced(10_000) };
    const burn: GroupProgram = { file: 'python3', args: ['-c', script], limits };
    const loops = Array.from({ length: others }, () => spawn('/bin/sh', ['-c', 'while :; do :; done']));
    try {
      const { results } = await sbx.engine.runGroup({ programs: [burn, burn], pipes: circle });
      for (const { stdout, stderr } of results) {
        expect(stderr.text()).toBe('');
        const [samples, share] = stdout.text().split(' ').map(Number);
        expect(samples).toBeGreaterThan(100);
        expect(share).toBeLessThan(HAS_CHOICE ? 0.25 : 1.01);
      }
    } finally {
      for (const loop of loops) loop.kill('SIGKILL');
    }
  });
});
