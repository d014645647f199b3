/**
 * A directory that is there already. An empty one of this user's is used. One whose manager is dead is
 * emptied: nobody will ever answer there, and clients without a time-out may be blocked in its pipes; they
 * are let go. The sign of a living manager is that `wait` has a reader. Another manager may be making this
 * directory just now, before it reads; so nothing is judged that has changed within the last second.
 */
import { closeSync, constants, openSync, readdirSync, rmSync } from 'node:fs';
import { lstat, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FifoError } from '../errors.js';
import { LEGACY_PIPES } from '../legacy.js';
import { CLAIM, DOWNWARD_PIPE, PIPE_ALIASES, STATUS_PIPE, UPWARD_PIPE, WAIT_PIPE } from '../names.js';

/** Every name that a manager makes, in either layout. */
const OURS: ReadonlySet<string> = new Set([
  ...[WAIT_PIPE, STATUS_PIPE, DOWNWARD_PIPE, UPWARD_PIPE, CLAIM],
  ...Object.keys(PIPE_ALIASES),
  ...Object.values(LEGACY_PIPES),
]);
/** Longer than a manager needs from its directory to its reader. */
const YOUNG_MS = 1000;
/** For clients that were blocked to write, and to find that nothing is left. */
const LINGER_MS = 100;

/** For a directory that is none, or another user's. */
export const NOT_OURS = 'is not an empty directory of this user';

/**
 * Makes an open directory of ours, which `at` leads to, an empty one. `path` is for errors. Throws a
 * `FifoError` when it is in use, or something else is in it.
 */
export async function takeOver(at: string, path: string): Promise<void> {
  if (await hasOthers(at)) throw refuse(path, NOT_OURS);
  const names = await readdir(at);
  if (names.length === 0) return;
  checkDead({ at, path }, names);
  const ageMs = Math.max(0, Date.now() - (await stat(at)).mtimeMs);
  await delay(Math.max(0, YOUNG_MS - ageMs));
  await empty({ at, path });
}

interface Taken {
  at: string;
  path: string;
}

/** Whether something is in it that no manager of ours has made. */
async function hasOthers(at: string): Promise<boolean> {
  for (const name of await readdir(at)) {
    if (!OURS.has(name)) return true;
    const stats = await lstat(join(at, name)).catch(() => null);
    const isKnown = stats === null || stats.isFIFO() || stats.isSymbolicLink();
    if (!isKnown || (stats !== null && stats.uid !== process.geteuid?.())) return true;
  }
  return false;
}

async function empty({ at, path }: Taken): Promise<void> {
  if (await hasOthers(at)) throw refuse(path, NOT_OURS);
  const names = readdirSync(at);
  const paths = names.map((name) => join(at, name));
  // From the list to the last name in one go, so that two managers do not do it by turns.
  checkDead({ at, path }, names);
  const fds = paths.flatMap(bothEnds);
  for (const each of paths) rmSync(each, { force: true });
  await delay(LINGER_MS);
  for (const fd of fds) closeSync(fd);
}

function checkDead({ at, path }: Taken, names: readonly string[]): void {
  const requests = names.filter((name) => name === WAIT_PIPE || name === LEGACY_PIPES.wait);
  if (requests.some((name) => hasReader(join(at, name))))
    throw refuse(path, 'is in use: a manager answers for it');
}

function hasReader(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENXIO' && code !== 'ENOENT';
  }
}

/** A descriptor that ends the waiting of everybody who opens the pipe; none where it is no pipe, or gone. */
export function bothEnds(path: string): number[] {
  try {
    return [openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW)];
  } catch {
    return [];
  }
}

/** For a directory that is there. */
export function refuse(path: string, why: string): FifoError {
  const message = `${path} is there already and ${why}.`;
  return new FifoError({ code: 'SBX_FIFO_DIRECTORY', message, details: { path } });
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
