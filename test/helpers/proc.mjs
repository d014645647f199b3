// Reading /proc and the cgroup tree: who is alive, whose child, under which user, in which groups. Facts
// only; what must hold is said in leaks.ts and in attacks/harness/remains.mjs. Plain JavaScript, so that
// scripts can use it as it is.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';

/** `null` when it ended while we looked. */
export function readOrNull(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** `folder`: of a process or of a thread. */
function parseTask(folder) {
  const stat = readOrNull(`${folder}/stat`);
  const status = readOrNull(`${folder}/status`) ?? '';
  const uid = /^Uid:\s+(\d+)/m.exec(status)?.[1];
  if (stat === null || uid === undefined) return null;
  // The name may hold spaces and parentheses; what follows the last one is fixed.
  const nameEnd = stat.lastIndexOf(')');
  const rest = stat.slice(nameEnd + 2).split(' ');
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(rest[1]),
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    state: rest[0] ?? '?',
    uid: Number(uid),
    /** Process namespaces that it is in, as seen from ours: 1 is ours alone. */
    depth: /^NSpid:(.*)/m.exec(status)?.[1].trim().split(/\s+/).length ?? 1,
    ticks: Number(rest[11]) + Number(rest[12]),
  };
}

export function listProcesses() {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => parseTask(`/proc/${name}`))
    .filter((row) => row !== null);
}

/** Threads of this process, with how often each has gone to sleep and has been taken off its CPU. */
export function listThreads() {
  return readdirSync('/proc/self/task').flatMap((id) => {
    const folder = `/proc/self/task/${id}`;
    const row = parseTask(folder);
    const status = readOrNull(`${folder}/status`) ?? '';
    const count = (key) => Number(new RegExp(`^${key}_ctxt_switches:\\s*(\\d+)`, 'm').exec(status)?.[1] ?? 0);
    return row === null ? [] : [{ ...row, sleeps: count('voluntary'), preemptions: count('nonvoluntary') }];
  });
}

/** All processes below `ancestor`, zombies included. */
export function descendants(ancestor = process.pid) {
  const rows = listProcesses();
  const found = new Set([ancestor]);
  for (let before = 0; before !== found.size; ) {
    before = found.size;
    for (const row of rows) if (found.has(row.parent)) found.add(row.pid);
  }
  return rows.filter((row) => row.pid !== ancestor && found.has(row.pid));
}

/**
 * An engine gives each sandbox ids of its own, counted up from `uidBase`. The span is far above what one
 * engine uses, and far below the distance of two random bases.
 */
export const UID_SPAN = 4096;

export function processesOfUids(uidBase) {
  if (uidBase === null) return [];
  return listProcesses().filter((row) => row.uid >= uidBase && row.uid < uidBase + UID_SPAN);
}

/**
 * Descriptors of a process and what they are. The one that lists the folder itself is gone again and left
 * out.
 */
export function openDescriptors(pid = 'self') {
  const rows = new Map();
  for (const name of readdirSync(`/proc/${pid}/fd`)) {
    try {
      rows.set(Number(name), readlinkSync(`/proc/${pid}/fd/${name}`));
    } catch {
      // the descriptor of the listing
    }
  }
  return rows;
}

/** Resident memory of this process after a collection when `--expose-gc` is on, in bytes. */
export function residentBytes() {
  globalThis.gc?.();
  return process.memoryUsage.rss();
}

/**
 * Paths below `folder` of folders that `wanted` names; a folder that vanishes while we look has no children.
 */
function findFolders(folder, wanted) {
  const names = (() => {
    try {
      return readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    } catch {
      return [];
    }
  })();
  return names.flatMap(({ name }) => {
    const path = join(folder, name);
    return [...(wanted(name) ? [path] : []), ...findFolders(path, wanted)];
  });
}

/** The cgroup folders of a host's engines, in every hierarchy: their names carry its pid. */
export function cgroupFolders(pid = process.pid) {
  const pattern = new RegExp(`^sbx-\\d+-${pid}-`);
  return findFolders('/sys/fs/cgroup', (name) => pattern.test(name));
}
