/**
 * What a small `/run` costs our own process beyond the sandboxed run: CPU time per request of a process that
 * serves it, less that per run of a process that only runs. Both in turn, round by round, each in a process
 * of its own; with a bare `node:http` server and a bare socket beside them, which show how much of it is
 * Node's. CPU time is that of all the process's threads, helpers left out.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { bareSpawn } from './lib/contenders.mjs';
import { figure } from './lib/figures.mjs';
import { openClients } from './lib/gojudge-clients.mjs';
import { threadCpuUs } from './lib/server-processes.mjs';
import { p50, pairwise } from './lib/stats.mjs';
import { timed } from './lib/wait.mjs';

export const title = 'host CPU of a small /run beyond the sandboxed run';

const COUNTS = [1, 2, 8];
const ROUNDS = 30;
const ROUND_MS = 300;
const WARM_UP_MS = 15_000; // V8 compiles until then
/** Set where Node's own `spawn` takes 1.4 to 1.7 ms: .09 to .11 of it. */
const BAR_US = 150;
const SPAWNS = 25;
const ROLES = ['gojudge', 'http', 'socket', 'run'];
/** As `small-heap.ts` of the server sets them. */
const FLAGS = ['--semi-space-growth-factor=1', '--heap-growing-percent=50'];
const script = fileURLToPath(new URL('./lib/host-role.mjs', import.meta.url));

async function start(role) {
  const child = fork(script, [role], { execArgv: FLAGS });
  child.once('exit', (code) => {
    if (code !== 0) throw new Error(`${role} has ended with ${code}`);
  });
  const [{ url }] = await once(child, 'message');
  return {
    role,
    child,
    open: (clients) => (role === 'run' ? openLoop(child, clients) : openClients(url, clients)),
  };
}

/** As `openClients`. */
function openLoop(child, clients) {
  const work = async (ms) => {
    child.send({ clients, ms });
    const [{ count }] = await once(child, 'message');
    return count;
  };
  return { work, close() {} };
}

async function costUs(pid, work, ms) {
  await work(ms / 8); // what the one before has left in the caches
  const before = threadCpuUs(pid);
  const count = await work(ms);
  return (threadCpuUs(pid) - before) / count;
}

async function warmUp({ open }, ms) {
  const { work, close } = open(Math.max(...COUNTS));
  await work(ms);
  close();
}

/** In µs per run by role, and per `spawn`: the machine's speed in the same moments. */
async function measureCount(all, clients, scale) {
  const samples = Object.fromEntries([...ROLES, 'spawn'].map((role) => [role, []]));
  const talks = all.map(({ role, child, open }) => ({ role, pid: child.pid, ...open(clients) }));
  for (let round = 0; round < ROUNDS * scale; round += 1) {
    for (let place = 0; place < talks.length; place += 1) {
      const { role, pid, work } = talks[(place + round) % talks.length];
      samples[role].push(await costUs(pid, work, ROUND_MS));
    }
    samples.spawn.push(await spawnUs());
  }
  for (const { close } of talks) close();
  return samples;
}

/** How long Node's own `spawn` takes. */
async function spawnUs() {
  const samples = [];
  for (let sample = 0; sample < SPAWNS; sample += 1) {
    samples.push((await timed(bareSpawn.run)) * 1000);
  }
  return p50(samples);
}

function toFigures({ gojudge, http, socket, run, spawn }, clients) {
  const row = (name, unit, samples, bar = null) =>
    figure({ name: `${name}_${clients}`, unit, samples, value: p50(samples), bar });
  const less = (above, below) => above.map((value, index) => value - below[index]);
  const beyond = less(gojudge, run);
  return [
    row('run', 'µs', run),
    row('beyond_run', 'µs', beyond, BAR_US),
    row('node_http_beyond_run', 'µs', less(http, run)),
    row('socket_beyond_run', 'µs', less(socket, run)),
    row('own_beyond_node_http', 'µs', less(gojudge, http)),
    row('node_spawn', 'µs', spawn),
    row('beyond_run_by_node_spawn', 'ratio', pairwise(beyond, spawn)),
  ];
}

export async function measure({ scale }) {
  const figures = [];
  const all = await Promise.all(ROLES.map(start));
  for (const one of all) await warmUp(one, WARM_UP_MS * scale);
  for (const clients of COUNTS) figures.push(...toFigures(await measureCount(all, clients, scale), clients));
  for (const { child } of all) child.disconnect();
  return figures;
}
