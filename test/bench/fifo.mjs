/**
 * Round trips of the two-pipe protocol: request, reading of the counters, reply. Clients are processes of
 * their own; a C client shows the manager's share, ours what a user of it gets.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Engine } from '@sbx/core';
import { FifoClient } from '@sbx/fifo-client';
import { FifoManager } from '@sbx/fifo-protocol/server';
import { buildPrograms } from '../programs/build.mjs';
import { figure } from './lib/figures.mjs';
import { p99, sum } from './lib/stats.mjs';
import { sleep } from './lib/wait.mjs';

export const title = 'round trips of the two-pipe protocol';

const SAMPLES = 4000;
const WARM_UP = 50;
const COUNTS = [1, 50, 500];
const BAR_MS = 1;
/** Programs that can live in one sandbox. */
const PER_SANDBOX = 50;

const ourClient = fileURLToPath(new URL('./lib/fifo-client.mjs', import.meta.url));

async function startMany(engine, count) {
  const shape = { limits: { processCount: 256, wallTimeMs: null } };
  const sandboxes = await Promise.all(
    Array.from({ length: Math.ceil(count / PER_SANDBOX) }, () => engine.createSandbox(shape)),
  );
  const streams = { stdout: 'null', stderr: 'null', limits: { processCount: 2 } };
  const managers = await Promise.all(
    Array.from({ length: count }, (_, i) =>
      FifoManager.open(() => sandboxes[Math.floor(i / PER_SANDBOX)].spawn('/bin/sleep', ['600'], streams)),
    ),
  );
  await Promise.all(managers.map(({ started }) => started));
  if (managers.some(({ program }) => program === null)) throw new Error('not every program has started');
  const close = async () => {
    await Promise.all(managers.map((manager) => manager.close()));
    await Promise.all(sandboxes.map((sandbox) => sandbox.close()));
  };
  return { dirs: managers.map(({ dir }) => dir), close };
}

/** In ms, the first ones left out. */
async function timesOf(file, args) {
  const { stdout } = await promisify(execFile)(file, args, { maxBuffer: 2 ** 24 });
  return stdout
    .trim()
    .split('\n')
    .slice(WARM_UP)
    .map((line) => Number(line) / 1000);
}

const askInC = (dirs, count) =>
  timesOf(join(buildPrograms(), 'fifo-ask'), ['1', String(count + WARM_UP), ...dirs]);
const askInNode = (dirs, count) => timesOf(process.execPath, [ourClient, dirs[0], String(count + WARM_UP)]);

function latency(name, samples, bar = null) {
  return [
    figure({ name: `${name}_p50`, unit: 'ms', samples, bar }),
    figure({ name: `${name}_p99`, unit: 'ms', samples, value: p99(samples) }),
  ];
}

function rate(name, samples) {
  const rates = samples.map((ms) => 1000 / ms);
  const value = (samples.length / sum(samples)) * 1000;
  return figure({ name, unit: 'round trips/s', samples: rates, value, better: 'more' });
}

async function idleCpu() {
  await sleep(200);
  const before = process.cpuUsage();
  await sleep(2000);
  const { user, system } = process.cpuUsage(before);
  return figure({ name: 'idle_cpu_500_processes', unit: 'ms/s', samples: [(user + system) / 2000] });
}

/**
 * What line 1 shows for a section in which the program does nothing: between two readings in a row, and with
 * one line to it and one back, which is the least that an evaluator can measure. The manager's own work per
 * reading stands beside it.
 */
async function constantCost(engine, count) {
  const folder = { kind: 'bind', source: buildPrograms(), target: '/t' };
  const own = await Engine.open({ mounts: [...engine.info().mounts, folder] });
  const sandbox = await own.createSandbox();
  const program = await sandbox.spawn('/t/obey', [], { stdin: 'pipe', stdout: 'pipe', stderr: 'null' });
  const manager = await FifoManager.open(() => program);
  const client = new FifoClient(manager.dir);
  const answers = program.stdout.lines();
  const tell = async () => {
    await program.stdin.write('drop\n');
    await answers.next();
  };
  const costOf = async (section) => {
    const times = [];
    for (let i = 0; i < WARM_UP + count; i += 1) times.push((await client.measure(section)).cpuTimeUs);
    return times.slice(WARM_UP);
  };
  const [nothing, line] = [await costOf(() => {}), await costOf(tell)];
  const readings = Array.from({ length: count }, () => {
    const start = performance.now();
    manager.reading();
    return (performance.now() - start) * 1000;
  });
  await manager.close();
  await own.close();
  return [
    figure({ name: 'section_of_nothing', unit: 'µs', samples: nothing }),
    figure({ name: 'section_of_a_line_and_its_answer', unit: 'µs', samples: line }),
    figure({ name: 'reading_in_the_host', unit: 'µs', samples: readings }),
  ];
}

export async function measure({ scale }) {
  const engine = await Engine.open();
  const samples = Math.ceil(SAMPLES * scale);
  const figures = [];
  for (const count of COUNTS) {
    const many = await startMany(engine, count);
    const times = await askInC(many.dirs, samples);
    const name = `c_rtt_${count}_process${count === 1 ? '' : 'es'}`;
    figures.push(...latency(name, times, count === 1 ? BAR_MS : null));
    if (count === 1) {
      const ours = await askInNode(many.dirs, samples);
      figures.push(rate('c_rate', times), ...latency('node_rtt_1_process', ours), rate('node_rate', ours));
    }
    if (count === 500) figures.push(await idleCpu());
    await many.close();
  }
  figures.push(...(await constantCost(engine, Math.ceil(samples / 4))));
  await engine.close();
  return figures;
}
