// Reading /proc: who is alive, whose child, under which user. Facts only; what must hold is said in leaks.ts.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessRow {
  pid: number;
  parent: number;
  name: string;
  state: string;
  uid: number;
  /** User + system time in clock ticks. */
  ticks: number;
}

/** `null` when it ended while we looked. */
export function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function parseProcess(pid: number): ProcessRow | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  const uid = readOrNull(`/proc/${pid}/status`)?.match(/^Uid:\s+(\d+)/m)?.[1];
  if (stat === null || uid === undefined) return null;
  // The name may hold spaces and parentheses; what follows the last one is fixed.
  const nameEnd = stat.lastIndexOf(')');
  const rest = stat.slice(nameEnd + 2).split(' ');
  return {
    pid,
    parent: Number(rest[1]),
    name: stat.slice(stat.indexOf('(') + 1, nameEnd),
    state: rest[0] ?? '?',
    uid: Number(uid),
    ticks: Number(rest[11]) + Number(rest[12]),
  };
}

export function listProcesses(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => parseProcess(Number(name)))
    .filter((row) => row !== null);
}

/** All processes below `ancestor`, zombies included. */
export function descendants(ancestor: number = process.pid): ProcessRow[] {
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

export function processesOfUids(uidBase: number | null): ProcessRow[] {
  if (uidBase === null) return [];
  return listProcesses().filter((row) => row.uid >= uidBase && row.uid < uidBase + UID_SPAN);
}

/** Own descriptors and what they are. The one that lists the folder itself is gone again and left out. */
export function openDescriptors(): Map<number, string> {
  const rows = new Map<number, string>();
  for (const name of readdirSync('/proc/self/fd')) {
    try {
      rows.set(Number(name), readlinkSync(`/proc/self/fd/${name}`));
    } catch {
      // the descriptor of the listing
    }
  }
  return rows;
}

/** Resident memory of this process after a collection when `--expose-gc` is on, in bytes. */
export function residentBytes(): number {
  (globalThis as { gc?: () => void }).gc?.();
  return process.memoryUsage.rss();
}
