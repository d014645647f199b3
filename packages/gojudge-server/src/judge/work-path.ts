/** Paths of requests: relative to the work folder, or absolute. */
import { posix } from 'node:path';

/**
 * Without `.` and `..`, relative when below the work folder; `null` for a folder by its form: the work folder
 * itself, the root.
 */
export function insidePath(path: string, workDir: string): string | null {
  const full = posix.resolve(workDir, path);
  if (full === workDir || full === '/') return null;
  return full.startsWith(`${workDir}/`) ? full.slice(workDir.length + 1) : full;
}

/** Devices of every sandbox: no place for files. */
export function isDevice(path: string): boolean {
  return /^\/dev\/(null|zero|full|random|urandom|tty)$/.test(posix.normalize(path));
}
