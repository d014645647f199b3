/** What only the kernel's version tells. */
import { release } from 'node:os';
import { UnsupportedError } from '../errors.js';

/** mount_setattr, by which mounts get their flags before anybody can see them, came with 5.12. */
export function checkKernel(): void {
  if (process.platform === 'linux' && isAtLeast(5, 12)) return;
  throw new UnsupportedError({
    code: 'SBX_UNSUPPORTED_PLATFORM',
    message: `Linux ${release()} is too old.`,
    hint: 'Linux 5.12 or newer is needed.',
  });
}

/** Since 5.14 RLIMIT_NPROC counts a user's tasks in each user namespace for itself; before, all that the user has anywhere. */
export function countsTasksPerNamespace(): boolean {
  return isAtLeast(5, 14);
}

function isAtLeast(major: number, minor: number): boolean {
  const [itsMajor = 0, itsMinor = 0] = release().split('.').map(Number);
  return itsMajor > major || (itsMajor === major && itsMinor >= minor);
}
