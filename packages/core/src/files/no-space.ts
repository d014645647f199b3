/** A file that found no room: what fitted goes, and the error names the limit. */
import { constants, statfsSync } from 'node:fs';
import { FileAccessError, type SbxError } from '../errors.js';
import { ENOENT } from '../native/errno.js';
import { inTreeBeside } from './beside-programs.js';
import { inTree, O_PATH, placeInTrees, type WorkFolder } from './trees.js';

const TMPFS = 0x01021994;

/**
 * Whether nothing is at a path; a link is something, wherever it leads. At once while no program lives, so
 * that a write that nobody awaits is done when the call returns.
 */
export function isAbsent(folder: WorkFolder, path: string): boolean | Promise<boolean> {
  const { native } = folder;
  const flags = O_PATH | constants.O_NOFOLLOW;
  const open = (dir: number, below: string, later: boolean) =>
    native.openBeneath({ dir, path: below, flags, follow: false, later });
  const answer = (opened: number) => {
    if (opened >= 0) native.closeFds([opened]);
    return opened === ENOENT;
  };
  if (folder.isLiving()) return inTreeBeside<number>(folder, path, open).then(answer);
  return answer(inTree<number>(folder, path, (dir, below) => open(dir, below, false) as number));
}

/**
 * The error to throw in the place of `error`. `removeNew`, of a file that was not there before: without it,
 * its part would keep every later write from finding room.
 */
export async function afterFailedWrite(
  folder: WorkFolder,
  path: string,
  error: unknown,
  removeNew: (() => Promise<void>) | null,
): Promise<unknown> {
  if (!(error instanceof FileAccessError) || error.code !== 'SBX_FILE_NO_SPACE') return error;
  // Of an error at its creation there is nothing; and the first error is the one to tell.
  if (removeNew !== null && error.operation === 'write') await removeNew().catch(() => undefined);
  return withLimit(folder, path, error);
}

function withLimit(folder: WorkFolder, path: string, error: FileAccessError): SbxError {
  const full = fullLimit(folder, path);
  if (full === null) return error;
  const { operation, errno } = error;
  const reason = `there is no room for it: ${full}. Raise the limit, or remove files.`;
  return new FileAccessError({ operation, path, errno, reason });
}

/** By name alone, though a link may lead elsewhere. A row of the mount table bounds its own place. */
function fullLimit(folder: WorkFolder, path: string): string | null {
  const place = placeInTrees(folder, path);
  if (place === null) return null;
  folder.checkOpen();
  const { target, fd } = folder.trees[place[0]]!;
  const { type, bsize, blocks, bavail, files, ffree } = statfsSync(`/proc/self/fd/${fd}`);
  if (type !== TMPFS) return null;
  // A file system without a bound says 0 of both.
  if (files > 0 && ffree === 0)
    return `limits.diskFileCount (or a tmpfs row) gives ${target} ${files} files, all in use`;
  const free = `${bavail * bsize} are free`;
  return `limits.diskBytes (or a tmpfs row) gives ${target} ${blocks * bsize} bytes, of which ${free}`;
}
