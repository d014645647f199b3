/**
 * A look at a file that could not be executed: the kernel says ENOENT for a script without its interpreter,
 * too. Nothing is opened that the sandbox does not show: its own trees, or what a bind brings in at its own
 * path.
 */
import { closeSync, constants, openSync, realpathSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { inTree } from '../files/trees.js';
import type { FileRead } from '../native/types.js';
import type { FoundFile } from '../pool/failures.js';
import type { MountRow } from '../types/mounts.js';
import { absolute } from './request.js';
import type { SandboxLease } from './sandbox-lease.js';

type ReadBelow = (dir: number, below: string) => FileRead | number;

/** As the kernel reads it. */
const FIRST_LINE_BYTES = 256;

/**
 * Gives a function that looks; `cwd` is where relative paths start. What cannot be looked at is not there.
 */
export function lookerFor(lease: SandboxLease, cwd: string | undefined): (path: string) => FoundFile | null {
  const folder = absolute(cwd, lease.core.workDir);
  return (path) => {
    try {
      const start = startOf(lease, path.startsWith('/') ? path : `${folder}/${path}`);
      return start === null ? null : { interpreter: interpreterIn(start) };
    } catch {
      return null; // it is only for a better sentence
    }
  };
}

function startOf({ folder, core }: SandboxLease, path: string): Buffer | null {
  folder.checkOpen();
  const read = (dir: number, below: string, known?: boolean) =>
    folder.native.readFileBeneath({ dir, path: below, maxBytes: FIRST_LINE_BYTES, truncate: true, known });
  const got = inTree(folder, path, read);
  if (typeof got !== 'number') return Buffer.from(got[0]);
  return path.startsWith('/') ? startOnHost(path, core.info().mounts, read) : null;
}

/**
 * Beneath the folder that the row shows, and through no link: where programs can write to it, they can put
 * one there between two looks.
 */
function startOnHost(path: string, rows: readonly Readonly<MountRow>[], read: ReadBelow): Buffer | null {
  const real = realpathSync(path);
  const shown = rowThatShows(real, rows);
  if (shown === undefined || rowThatShows(path, rows) === undefined) return null;
  const folder = real === shown ? dirname(shown) : shown;
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const got = read(fd, relative(folder, real));
    return typeof got === 'number' ? null : Buffer.from(got[0]);
  } finally {
    closeSync(fd);
  }
}

function rowThatShows(path: string, rows: readonly Readonly<MountRow>[]): string | undefined {
  for (const row of rows) {
    if (row.kind !== 'bind' || (row.target ?? row.source) !== row.source) continue;
    if (path === row.source || path.startsWith(`${row.source}/`)) return row.source;
  }
  return undefined;
}

/** `null` for what is no script. */
function interpreterIn(start: Buffer): string | null {
  if (start.toString('latin1', 0, 2) !== '#!') return null;
  const [line = ''] = start.toString('utf8', 2).split('\n');
  return /^[ \t]*([^ \t]*)/.exec(line)?.[1] ?? null;
}
