/**
 * A look at a file that could not be executed: the kernel says ENOENT for a script without its interpreter,
 * too. Nothing is opened that the sandbox does not show: its own trees, or what a bind brings in at its own
 * path.
 */
import { closeSync, constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import { inTree } from '../files/trees.js';
import type { FoundFile } from '../pool/failures.js';
import type { MountRow } from '../types/mounts.js';
import { absolute } from './request.js';
import type { SandboxLease } from './sandbox-lease.js';

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
  const got = inTree(folder, path, (dir, below, known) =>
    folder.native.readFileBeneath({
      dir,
      path: below,
      maxBytes: FIRST_LINE_BYTES,
      truncate: true,
      known,
    }),
  );
  if (typeof got !== 'number') return Buffer.from(got[0]);
  return path.startsWith('/') ? startOnHost(path, core.info().mounts) : null;
}

function startOnHost(path: string, rows: readonly Readonly<MountRow>[]): Buffer | null {
  const real = realpathSync(path);
  if (!isShown(path, rows) || !isShown(real, rows)) return null;
  const fd = openSync(
    real,
    constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY | constants.O_NOFOLLOW,
  );
  try {
    if (!fstatSync(fd).isFile()) return null;
    const buffer = Buffer.alloc(FIRST_LINE_BYTES);
    return buffer.subarray(0, readSync(fd, buffer));
  } finally {
    closeSync(fd);
  }
}

function isShown(path: string, rows: readonly Readonly<MountRow>[]): boolean {
  return rows.some(
    (row) =>
      row.kind === 'bind' &&
      (row.target ?? row.source) === row.source &&
      (path === row.source || path.startsWith(`${row.source}/`)),
  );
}

/** `null` for what is no script. */
function interpreterIn(start: Buffer): string | null {
  if (start.toString('latin1', 0, 2) !== '#!') return null;
  const [line = ''] = start.toString('utf8', 2).split('\n');
  return /^[ \t]*([^ \t]*)/.exec(line)?.[1] ?? null;
}
