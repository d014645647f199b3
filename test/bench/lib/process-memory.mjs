// Memory of processes, from /proc. RSS counts shared pages in full in each process, PSS divides them among
// those who share.
import { readdirSync, readFileSync } from 'node:fs';

function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // it ended while we looked
  }
}

function parents() {
  const rows = new Map();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const stat = readOrEmpty(`/proc/${name}/stat`);
    const end = stat.lastIndexOf(')');
    if (end < 0) continue;
    rows.set(Number(name), {
      parent: Number(stat.slice(end + 2).split(' ')[1]),
      name: stat.slice(stat.indexOf('(') + 1, end),
    });
  }
  return rows;
}

/** Pids of the helper processes (zygote, keepers, inits) of this host. */
export function helperPids() {
  const rows = parents();
  const isOurs = (pid) => pid === process.pid || (rows.has(pid) && isOurs(rows.get(pid).parent));
  return [...rows].filter(([pid, row]) => row.name.startsWith('sbx-') && isOurs(pid)).map(([pid]) => pid);
}

/** Bytes that no other process shares, of all of them together. */
export function privateBytesOf(pids) {
  const kib = pids.flatMap((pid) =>
    [...readOrEmpty(`/proc/${pid}/smaps_rollup`).matchAll(/^Private_\w+:\s+(\d+)/gm)].map(([, text]) =>
      Number(text),
    ),
  );
  return kib.reduce((sum, value) => sum + value, 0) * 1024;
}

/** `{ rss, pss }` in bytes, of all of them together. */
export function memoryOf(pids) {
  const total = { rss: 0, pss: 0 };
  for (const pid of pids) {
    const rollup = readOrEmpty(`/proc/${pid}/smaps_rollup`);
    total.rss += Number(rollup.match(/^Rss:\s+(\d+)/m)?.[1] ?? 0) * 1024;
    total.pss += Number(rollup.match(/^Pss:\s+(\d+)/m)?.[1] ?? 0) * 1024;
  }
  return total;
}
