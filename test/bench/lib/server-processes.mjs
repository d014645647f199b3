/** What the processes of a server cost: the one that listens, and all below it. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { sum } from './stats.mjs';

const TICK_MS = 10;
const PAGE_BYTES = 4096;

/** The process that listens on the URL's port, and all below it. */
export function serverProcesses(url) {
  const { port } = new URL(url);
  const listing = execFileSync('ss', ['-Hltnp', `sport = :${port}`], { encoding: 'utf8' });
  const pid = Number(/pid=(\d+)/.exec(listing)?.[1] ?? 0);
  return pid === 0 ? [] : withDescendants(pid);
}

function withDescendants(pid) {
  const parents = new Map();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const fields = statOf(Number(name));
    if (fields !== null) parents.set(Number(name), Number(fields[1]));
  }
  const found = [pid];
  for (const one of found) for (const [child, parent] of parents) if (parent === one) found.push(child);
  return found;
}

/** CPU time of these and of their children that have ended, in ms. */
export function cpuMs(pids) {
  const ticks = pids
    .map(statOf)
    .flatMap((fields) => (fields === null ? [] : fields.slice(11, 15).map(Number)));
  return sum(ticks) * TICK_MS;
}

/** CPU time of a process's own threads, in µs: the kernel counts these in ns. */
export function threadCpuUs(pid) {
  const times = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return sum(times) / 1000;
}

export function residentBytes(pids) {
  const pages = pids.map(statOf).map((fields) => (fields === null ? 0 : Number(fields[21])));
  return sum(pages) * PAGE_BYTES;
}

/** Fields of /proc/N/stat from the state on; `null` when it is gone. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}
