/** Paths of requests: relative to the work folder, or absolute. */
import { posix } from 'node:path';
import type { Settings } from '../settings.js';

/** Relative to the work folder; `null` for what lies elsewhere, the folder itself included. */
export function workPath(path: string, { workDir }: Settings): string | null {
  if (path === '' || path.includes('\0')) return null;
  const full = posix.resolve(workDir, path);
  return full.startsWith(`${workDir}/`) ? full.slice(workDir.length + 1) : null;
}
