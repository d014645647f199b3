// What runs ends within 100 ms of the arrival of the word that it is cancelled. Three processes read one
// clock: the worker's notes when the word comes, the program writes each millisecond that it still lives, and
// a watch of the highest class notes when the machine below took CPUs away.
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClusterEngine } from '@sbx/cluster';
import { DEFAULT_MOUNTS } from '@sbx/core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CpuWatch } from '../attacks/harness/cpu-watch.mjs';
import { paced } from '../helpers/pace.js';
import { until } from '../helpers/wait.js';
import { buildPrograms } from '../programs/build.mjs';
import { useNats } from './nats.js';
import { openEngine, startWorkerProcess, type TestNode } from './nodes.js';

const BAR_MS = paced(100);
const SAMPLES = 20;
/** A program that writes each millisecond and has not for so long has ended. */
const QUIET_MS = paced(300);

const nats = useNats();
let folder: string;
let worker: TestNode;
let engine: ClusterEngine;
let cpus: CpuWatch;
/** Id of a job → when the worker's process heard first that it is cancelled. */
const arrivals = new Map<string, number>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sbx-test-cancel-'));
  chmodSync(folder, 0o777); // programs are another user
  const testPrograms = buildPrograms();
  cpus = new CpuWatch({ folder, testPrograms });
  const mounts = [
    ...DEFAULT_MOUNTS,
    { kind: 'bind', source: testPrograms, target: '/t' } as const,
    { kind: 'bind', source: folder, target: '/signs', writable: true } as const,
  ];
  worker = await startWorkerProcess({
    servers: nats.url,
    slots: 2,
    engineOptions: { parallelism: 2, mounts },
  });
  let told = '';
  worker.child.stdout!.on('data', (data: Buffer) => {
    told += data;
    const lines = told.split('\n');
    told = lines.pop()!;
    for (const line of lines) {
      const [, id, ms] = /^cancel (\S+) (\S+)$/.exec(line) ?? [];
      if (id !== undefined && !arrivals.has(id)) arrivals.set(id, Number(ms));
    }
  });
  engine = await openEngine({ servers: nats.url });
}, 120_000);

afterAll(async () => {
  await engine.close();
  await worker.kill('SIGTERM');
  cpus.close();
  rmSync(folder, { recursive: true, force: true });
});

/** When the program said that it lives, in ms. */
function signsOf(id: string): number[] {
  try {
    return readFileSync(join(folder, id), 'utf8').trimEnd().split('\n').map(Number);
  } catch {
    return []; // it has not begun
  }
}

/** From the word's arrival to the program's last sign of life, and how long CPUs were away meanwhile. */
async function cancelOne(id: string): Promise<{ ms: number; awayMs: number }> {
  const ticket = await engine.submit({ id, request: { file: '/t/live-signs', args: [`/signs/${id}`] } });
  await until(10_000, `${id} runs`, () => ticket.state === 'leased' && signsOf(id).length > 20);
  const cancelled = ticket.cancel(new Error('not wanted'));
  await expect(ticket.result).rejects.toThrow('not wanted');
  await cancelled;
  await until(10_000, `the word of ${id} has come`, () => arrivals.has(id));
  let last = signsOf(id).at(-1)!;
  await until(10_000, `${id} has ended`, async () => {
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const before = last;
    last = signsOf(id).at(-1)!;
    return last === before;
  });
  const arrival = arrivals.get(id)!;
  return { ms: last - arrival, awayMs: cpus.awayMs(arrival) };
}

test('a program writes its last word within 100 ms of the arrival of its cancel', async () => {
  const seen = [];
  for (let index = 0; index < SAMPLES; index += 1) seen.push(await cancelOne(`job${index}`));
  const times = seen.map(({ ms }) => ms).sort((a, b) => a - b);
  process.stderr.write(
    `last word after the arrival: median ${times[SAMPLES >> 1]!.toFixed(1)} ms, latest ${times.at(-1)!.toFixed(1)} ms\n`,
  );
  expect(times[SAMPLES >> 1]).toBeLessThanOrEqual(BAR_MS);
  expect(seen.filter(({ ms, awayMs }) => ms - awayMs > BAR_MS)).toEqual([]);
}, 60_000);
