/**
 * All that is below a folder of a sandbox, while its programs may change it. Each folder is opened beneath
 * its tree without following links, one at a time, and its names are looked at in what was opened: nothing
 * that moves meanwhile can lead elsewhere.
 */
import { isUtf8 } from 'node:buffer';
import { type BigIntStats, constants, promises as fs } from 'node:fs';
import { EILSEQ, ELOOP, ENOENT, ENOTDIR } from '../native/errno.js';
import { call } from './beside-programs.js';
import type { WorkFolder } from './trees.js';

/** One name. `path` is relative to the folder that the walk started in. */
export type WalkEntry =
  | { path: string; stats: BigIntStats }
  /** It, or what is below it, cannot be looked at: a negative error number. */
  | { path: string; errno: number };

/** Where a walk starts: a folder beneath the descriptor of a tree. */
export interface WalkStart {
  dir: number;
  path: string;
  /** Also what is in folders below. */
  recursive: boolean;
}

/** Names of a folder that are read at once. */
const NAMES_AT_ONCE = 64;

/** Error numbers of what a program took away, or put something else for, between two looks. */
export const GONE: ReadonlySet<number> = new Set([ENOENT, ENOTDIR, ELOOP]);

/**
 * A folder comes before what is in it; there is no order besides. How many entries there are is for the
 * caller to bound.
 */
export async function* walkTree(folder: WorkFolder, start: WalkStart): AsyncGenerator<WalkEntry, void> {
  const folders = [''];
  while (folders.length > 0) {
    const path = folders.pop()!;
    const opened = await openFolder(folder, start, path);
    if (opened < 0) {
      // Of the first one the caller has to know in any case.
      if (path === '' || !GONE.has(opened)) yield { path, errno: opened };
      continue;
    }
    try {
      for await (const entry of entriesOf(folder, opened, path === '' ? '' : `${path}/`)) {
        yield entry;
        if (start.recursive && 'stats' in entry && entry.stats.isDirectory()) folders.push(entry.path);
      }
    } finally {
      folder.native.closeFds([opened]);
    }
  }
}

async function openFolder(folder: WorkFolder, { dir, path }: WalkStart, below: string): Promise<number> {
  const full = [path, below].filter((part) => part !== '.' && part !== '').join('/') || '.';
  const flags = constants.O_RDONLY | constants.O_DIRECTORY;
  return call(folder, (later) => folder.native.openBeneath({ dir, path: full, flags, later }));
}

async function* entriesOf(folder: WorkFolder, fd: number, prefix: string): AsyncGenerator<WalkEntry, void> {
  const at = `/proc/self/fd/${fd}`;
  for await (const name of namesIn(at)) {
    if (typeof name === 'number') {
      yield { path: prefix.slice(0, -1), errno: name };
      return;
    }
    const path = `${prefix}${name.toString()}`;
    const stats = isUtf8(name) ? await statsOf(`${at}/${name.toString()}`) : EILSEQ;
    folder.checkOpen();
    if (stats === null) continue;
    yield typeof stats === 'number' ? { path, errno: stats } : { path, stats };
  }
}

/**
 * As bytes: a name may be anything, and one that is no text could not be named again. An error number ends
 * them: a program may have shut the folder since it was opened.
 */
async function* namesIn(at: string): AsyncGenerator<Buffer | number, void> {
  const options = { encoding: 'buffer', bufferSize: NAMES_AT_ONCE } as unknown as { bufferSize: number };
  try {
    for await (const { name } of await fs.opendir(at, options)) yield name as unknown as Buffer;
  } catch (error) {
    yield errnoOf(error);
  }
}

/**
 * Of the name itself, a link included, times to the nanosecond; `null` when it is gone, and an error number
 * when it cannot be looked at. An ordinary user cannot in a folder whose names may only be read.
 */
async function statsOf(path: string): Promise<BigIntStats | number | null> {
  try {
    return await fs.lstat(path, { bigint: true });
  } catch (error) {
    const errno = errnoOf(error);
    return GONE.has(errno) ? null : errno;
  }
}

/** Of a failed system call; throws what is none. */
function errnoOf(error: unknown): number {
  const { errno } = error as NodeJS.ErrnoException;
  if (errno === undefined) throw error;
  return errno;
}
