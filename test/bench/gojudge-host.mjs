/**
 * What a small `/run` costs our own process beyond the sandboxed run: CPU time per request of a process that serves it, less that
 * per run of a process that only runs. Both in turn, round by round, each in a process of its own; with a bare `node:http`
 * server beside them, which shows how much of it is Node's. CPU time is that of all the process's threads, helpers left out.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bareSpawn } from './lib/contenders.mjs';
import { figure } from './lib/figures.mjs';
import { LOADS, runRequest } from './lib/gojudge-loads.mjs';
import { Connection } from './lib/http-client.mjs';
import { threadCpuUs } from './lib/server-processes.mjs';
import { p50 } from './lib/stats.mjs';

export const title = 'host CPU of a small /run beyond the sandboxed run';

const COUNTS = [1, 2, 8];
const ROUNDS = 30;
const ROUND_MS = 300;
const WARM_UP_MS = 6000;
const BAR_US = 150;
const LANES = 2;
const SPAWNS = 200;
const ROLES = ['gojudge', 'http', 'run'];
/** As `sbx-gojudge` sets them. */
const FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=50'];
const script = fileURLToPath(new URL('./lib/host-role.mjs', import.meta.url));

async function start(role) {
  const child = fork(script, [role], { execArgv: FLAGS });
  const [{ url }] = await once(child, 'message');
  return { role, child, work: role === 'run' ? loopOf(child) : driveOf(url) };
}

/** Both resolve with the number of runs. */
function loopOf(child) {
  return async (clients, ms) => {
    child.send({ lanes: Math.min(clients, LANES), ms });
    const [{ count }] = await once(child, 'message');
    return count;
  };
}

function driveOf(url) {
  const connections = Array.from({ length: Math.max(...COUNTS) }, () => new Connection(url));
  const bytes = runRequest(LOADS[0].request({}));
  return async (clients, ms) => {
    const end = performance.now() + ms;
    let count = 0;
    const loop = async (connection) => {
      for (; performance.now() < end; count += 1) await connection.send(bytes);
    };
    await Promise.all(connections.slice(0, clients).map(loop));
    return count;
  };
}

async function costUs({ child, work }, clients, ms) {
  await work(clients, ms / 8); // what the one before has left in the caches
  const before = threadCpuUs(child.pid);
  const count = await work(clients, ms);
  return (threadCpuUs(child.pid) - before) / count;
}

/** In µs per run, by role. */
async function measureCount(all, clients, scale) {
  const samples = Object.fromEntries(ROLES.map((role) => [role, []]));
  for (let round = 0; round < ROUNDS * scale; round += 1) {
    for (let place = 0; place < all.length; place += 1) {
      const one = all[(place + round) % all.length];
      samples[one.role].push(await costUs(one, clients, ROUND_MS));
    }
  }
  return samples;
}

function toFigures({ gojudge, http, run }, clients) {
  const us = (name, samples, bar = null) =>
    figure({ name: `${name}_${clients}`, unit: 'µs', samples, value: p50(samples), bar });
  const less = (above, below) => above.map((value, index) => value - below[index]);
  return [
    us('run', run),
    us('beyond_run', less(gojudge, run), BAR_US),
    us('node_http_beyond_run', less(http, run)),
    us('own_beyond_node_http', less(gojudge, http)),
  ];
}

/** The machine's speed: bars were set where this was 1.4 to 1.7 ms. */
async function machineSpeed(when, scale) {
  const samples = [];
  for (let sample = 0; sample < SPAWNS * scale; sample += 1) {
    const start = performance.now();
    await bareSpawn.run();
    samples.push(performance.now() - start);
  }
  return figure({ name: `node_spawn_${when}`, unit: 'ms', samples });
}

export async function measure({ scale }) {
  const figures = [await machineSpeed('before', scale)];
  const all = await Promise.all(ROLES.map(start));
  for (const { work } of all) await work(LANES, WARM_UP_MS * scale);
  for (const clients of COUNTS) figures.push(...toFigures(await measureCount(all, clients, scale), clients));
  figures.push(await machineSpeed('after', scale));
  for (const { child } of all) child.disconnect();
  return figures;
}
