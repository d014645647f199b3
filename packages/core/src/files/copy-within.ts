/** One file of a sandbox into another. */
import { fchmod as fchmodCallback, fstatSync } from 'node:fs';
import { promisify } from 'node:util';
import { FileAccessError } from '../errors.js';
import { call } from './beside-programs.js';
import { fail, refuseUnlessRegular } from './chunks.js';
import { createBeside } from './copy.js';
import type { WorkFolder } from './trees.js';

const fchmod = promisify(fchmodCallback);

const OPERATION = 'copyFile';
const PERMISSIONS = 0o777;

/** What is copied: an open file and its path. It stays the caller's. */
export interface CopySource {
  file: number;
  path: string;
}

/** By the kernel, holes as holes. A file is a copy of itself. Throws `FileAccessError`. */
export async function copyWithin(
  folder: WorkFolder,
  { file: from, path }: CopySource,
  to: string,
  mode: number = fstatSync(from).mode & PERMISSIONS,
): Promise<void> {
  refuseUnlessRegular(from, OPERATION, path);
  // What is there is cut only when it is known to be another file.
  const options = { mode, follow: true, operation: OPERATION, flags: 0 };
  const file = await createBeside(folder, to, options);
  let isTaken = false;
  try {
    if (isSame(from, file)) return;
    if ((fstatSync(file).mode & PERMISSIONS) !== mode)
      await call(folder, () => fchmod(file, mode)).catch((error) => fail(OPERATION, to, error));
    const copying = call(folder, (later) => {
      isTaken = true;
      return folder.native.copyWithin(from, file, later);
    });
    const copied = await copying;
    if (copied < 0) throw new FileAccessError({ operation: OPERATION, path: to, errno: -copied });
  } finally {
    if (!isTaken) folder.native.closeFds([file]);
  }
}

function isSame(one: number, other: number): boolean {
  const [a, b] = [one, other].map((fd) => fstatSync(fd, { bigint: true }));
  return a!.dev === b!.dev && a!.ino === b!.ino;
}
