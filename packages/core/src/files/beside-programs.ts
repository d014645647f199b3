/**
 * Calls on files while programs may live, and mean harm. Who writes much into a file at once holds its lock
 * for as long, and who renames it meanwhile that of its folder: sixty threads in turn keep everybody else
 * waiting for seconds. So nothing that may wait for such a lock is done on the loop, and each sandbox has one
 * call at a time on libuv's threads, of which there are four for all.
 */
import { constants, fstatSync, write as writeCallback } from 'node:fs';
import { promisify } from 'node:util';
import { FileAccessError } from '../errors.js';
import { EINVAL, EISDIR } from '../native/errno.js';
import type { FileRead } from '../native/native.js';
import { checkWorkPath } from '../options/paths.js';
import { type Answer, O_PATH, stepsInTree, type WorkFolder } from './trees.js';

const write = promisify(writeCallback);

/** Makes a call: at once when no program lives. `later`: on another thread. */
export async function call<T>(folder: WorkFolder, make: (later: boolean) => T | Promise<T>): Promise<T> {
  const checked = (later: boolean) => {
    folder.checkOpen();
    return make(later);
  };
  if (!folder.isLiving()) return checked(false);
  const done = (folder.lastCall ?? Promise.resolve()).then(() => checked(true));
  folder.lastCall = done.catch(() => undefined);
  return done;
}

type Work<T> = (dir: number, path: string, later: boolean) => T | number | Promise<T | number>;

/** As `inTree`. */
export async function inTreeBeside<T>(
  folder: WorkFolder,
  path: string,
  work: Work<T>,
  root = false,
): Promise<T | number> {
  const steps = stepsInTree<T>(folder, path, root);
  for (let answer: Answer<T> = 0; ; ) {
    const { done, value } = steps.next(answer);
    if (done) return value;
    const { dir, path: below, isLink } = value;
    answer = await call<Answer<T>>(folder, (later) =>
      isLink ? folder.native.readLinkBeneath({ dir, path: below, later }) : work(dir, below, later),
    );
  }
}

/** As `openParent`. */
export async function openParentBeside(
  folder: WorkFolder,
  operation: string,
  path: string,
): Promise<[fd: number, name: string]> {
  const { native } = folder;
  const flags = O_PATH | constants.O_DIRECTORY;
  const opened = await inTreeBeside<number>(folder, path, (dir, below, later) => {
    const slash = below.lastIndexOf('/');
    return native.openBeneath({ dir, path: slash < 0 ? '.' : below.slice(0, slash), flags, later });
  });
  if (opened < 0) throw new FileAccessError({ operation, path, errno: -opened });
  return [opened, checkWorkPath(path, { folder: true }).split('/').at(-1)!];
}

/** As `inParent`. */
export async function inParentBeside<T>(
  folder: WorkFolder,
  operation: string,
  path: string,
  work: (dir: number, name: string, later: boolean) => T | Promise<T>,
): Promise<T> {
  const [parent, name] = await openParentBeside(folder, operation, path);
  try {
    return await call(folder, (later) => work(parent, name, later));
  } finally {
    folder.native.closeFds([parent]);
  }
}

/** As `readFileBeneath`, following links. */
export async function readBeside(
  folder: WorkFolder,
  path: string,
  maxBytes: number,
): Promise<FileRead | number> {
  const { native } = folder;
  const file = await inTreeBeside<number>(folder, path, (dir, below, later) =>
    native.openBeneath({ dir, path: below, flags: constants.O_RDONLY, follow: true, later }),
  );
  if (file < 0) return file;
  const status = fstatSync(file);
  const isRead = status.isFile() && status.size <= maxBytes;
  if (isRead) return native.takeFile(file, maxBytes); // it closes it
  native.closeFds([file]);
  if (!status.isFile()) return status.isDirectory() ? EISDIR : EINVAL;
  return [new Uint8Array(0), status.mode & 0o7777, status.size];
}

/** All of it; rejects as `node:fs` does. */
export async function writeBeside(folder: WorkFolder, file: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.byteLength; )
    at += (await call(folder, () => write(file, bytes, at))).bytesWritten;
}
