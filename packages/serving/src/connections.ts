/**
 * How many connections a server takes. Each is a descriptor and some KiB, for which nobody has been asked for
 * a token; and sandboxes need descriptors as well.
 */
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';

/** Of one address, where the process may have so many files open. */
const CONNECTIONS_MAX = 16_384;
/** Of the descriptors of the process: `localhost` is two addresses, and the rest is for sandboxes. */
const SHARE = 1 / 4;
/** Who connects again and again has others looked at no more often. */
const CLOSE_EVERY_MS = 1000;

/** What each address takes by default. */
export function connectionsMax(): number {
  return Math.max(1, Math.min(CONNECTIONS_MAX, Math.floor(openFilesMax() * SHARE)));
}

/** When one is refused, those that wait for their next request are closed, which makes room for others. */
export function boundConnections(server: Server, max = connectionsMax()): void {
  server.maxConnections = max;
  onFull(server, () => server.closeIdleConnections());
}

/** Calls `makeRoom` when a connection was refused. */
export function onFull(server: Server, makeRoom: () => void): void {
  let madeAt = Number.NEGATIVE_INFINITY;
  server.on('drop', () => {
    const now = performance.now();
    if (now - madeAt < CLOSE_EVERY_MS) return;
    madeAt = now;
    makeRoom();
  });
}

function openFilesMax(): number {
  try {
    const limit = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return Number(limit ?? Number.POSITIVE_INFINITY);
  } catch {
    return Number.POSITIVE_INFINITY; // not on Linux: it serves a cluster
  }
}
