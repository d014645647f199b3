/**
 * How far a program gets past its limit. The figures are the supervisor's own, taken after the last process
 * is dead; that they are true is the business of test/core/accuracy.test.ts. CPU kills and wall kills take
 * turns, with the JavaScript loop free and with it blocked (and a CPU taken) for a second.
 */
import { DEFAULT_MOUNTS, Engine } from '@sbx/core';
import { buildPrograms } from '../programs/build.mjs';
import { figure } from './lib/figures.mjs';
import { p99 } from './lib/stats.mjs';
import { blockLoop } from './lib/wait.mjs';

export const title = 'overshoot of CPU and wall limits';

const FREE_SAMPLES = 100;
const BLOCKED_SECONDS = 25;
/**
 * Programs in a blocked second: one that spins (the loop has the other CPU of a small machine), several that
 * sleep.
 */
const SLEEPERS = 4;
const LIMIT_MS = 60;
const BAR_MS = 10;

const KINDS = {
  cpu: { program: '/t/burn-cpu', limits: { cpuTimeMs: LIMIT_MS }, status: 'cpu-limit', used: 'cpuTimeMs' },
  wall: {
    program: '/t/sleep-ms',
    limits: { wallTimeMs: LIMIT_MS },
    status: 'wall-limit',
    used: 'wallTimeMs',
  },
};

const FAR = { cpuTimeMs: null, wallTimeMs: 20_000 };

async function start(sandbox, { program, limits }) {
  return sandbox.spawn(program, ['60000'], { stdout: 'null', stderr: 'null', limits: { ...FAR, ...limits } });
}

async function overshoot(process, { status, used }) {
  const result = await process.result;
  if (result.status !== status) throw new Error(`expected ${status}, got ${result.status}`);
  return result.usage[used] - LIMIT_MS;
}

async function measureFree(sandbox, samples) {
  const over = { cpu: [], wall: [] };
  for (let i = 0; i < samples; i++) {
    for (const [name, kind] of Object.entries(KINDS))
      over[name].push(await overshoot(await start(sandbox, kind), kind));
  }
  return over;
}

async function measureBlocked(sandbox, seconds) {
  const over = { cpu: [], wall: [] };
  for (let i = 0; i < seconds; i++) {
    const spinner = await start(sandbox, KINDS.cpu);
    const sleepers = await Promise.all(Array.from({ length: SLEEPERS }, () => start(sandbox, KINDS.wall)));
    blockLoop(1000);
    over.cpu.push(await overshoot(spinner, KINDS.cpu));
    for (const sleeper of sleepers) over.wall.push(await overshoot(sleeper, KINDS.wall));
  }
  return over;
}

function overshootFigures(how, over) {
  return Object.entries(over).flatMap(([name, samples]) => [
    figure({ name: `${name}_overshoot_${how}p50`, unit: 'ms', samples }),
    figure({ name: `${name}_overshoot_${how}p99`, unit: 'ms', samples, value: p99(samples), bar: BAR_MS }),
  ]);
}

export async function measure({ scale }) {
  const programs = { kind: 'bind', source: buildPrograms(), target: '/t', executable: true };
  const engine = await Engine.open({ mounts: [...DEFAULT_MOUNTS, programs] });
  const sandbox = await engine.createSandbox();
  const free = await measureFree(sandbox, FREE_SAMPLES * scale);
  const blocked = await measureBlocked(sandbox, Math.ceil(BLOCKED_SECONDS * scale));
  await sandbox.close();
  await engine.close();
  return [...overshootFigures('', free), ...overshootFigures('blocked_', blocked)];
}
