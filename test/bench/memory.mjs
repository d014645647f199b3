/**
 * Memory of host and helpers, per slot that stands ready and per running sandbox; and what importing the
 * package costs. Each sample is a fresh Node process. Memory of programs is not in it: their limits bound
 * that.
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { figure } from './lib/figures.mjs';
import { p50, sum } from './lib/stats.mjs';

export const title = 'memory per idle slot and per running sandbox; time to import';

const RUNNING = 50;
const HOSTS = 5;
const IMPORTS = 20;
const MiB = 2 ** 20;

const lib = (name) => fileURLToPath(new URL(`./lib/${name}`, import.meta.url));
const node = async (...args) => (await promisify(execFile)(process.execPath, args)).stdout;

const hostSample = async () => JSON.parse(await node('--expose-gc', lib('host-memory.mjs'), String(RUNNING)));
const importMs = async (module) => Number(await node(lib('import-time.mjs'), module));

function memoryFigures(hosts) {
  const mib = (name, pick, bar) =>
    figure({ name, unit: 'MiB', samples: hosts.map((host) => pick(host) / MiB), bar });
  return [
    mib('helper_rss_per_idle_slot', ({ idling }) => idling.rss / idling.slots, 1),
    mib('helper_pss_per_idle_slot', ({ idling }) => idling.pss / idling.slots),
    mib('helper_rss_per_running', ({ idling, running }) => (running.rss - idling.rss) / RUNNING),
    mib('helper_pss_per_running', ({ idling, running }) => (running.pss - idling.pss) / RUNNING),
    mib('host_rss_of_engine', ({ bare, idling }) => idling.host - bare.host),
    mib('host_rss_per_running', ({ idling, running }) => (running.host - idling.host) / RUNNING),
  ];
}

async function importFigures(count) {
  const [core, empty] = [[], []];
  for (let i = 0; i < count; i++) {
    core.push(await importMs('@sbx/core'));
    empty.push(await importMs(lib('empty.mjs')));
  }
  const baseline = p50(empty);
  const samples = core.map((ms) => ms - baseline);
  return [
    figure({ name: 'import_ms', unit: 'ms', samples, bar: 25 }),
    figure({ name: 'import_empty_ms', unit: 'ms', samples: empty }),
  ];
}

export async function measure({ scale }) {
  const hosts = [];
  for (let i = 0; i < Math.max(1, HOSTS * scale); i++) hosts.push(await hostSample());
  if (sum(hosts.map((host) => host.idling.slots)) === 0) throw new Error('the engine keeps nothing ready');
  return [...memoryFigures(hosts), ...(await importFigures(IMPORTS * scale))];
}
