/** `-src-prefix`: which files of the host requests may name. Links are resolved on both sides, whole components compared. */
import { realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import { errnoOf, errnoText } from '../errno.js';
import { BadRequest } from '../errors.js';

/** Throws `BadRequest`. An empty list allows everything. */
export function checkSourcePath(path: string, prefixes: readonly string[]): void {
  if (prefixes.length === 0) return;
  const full = resolve(path);
  const real = realPath(full);
  if (prefixes.some((prefix) => isBelow(real, realPathOrSame(resolve(prefix))))) return;
  throw new BadRequest(`file (${path}) does not under ([${prefixes.join(' ')}])`);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new BadRequest(`lstat ${path}: ${errnoText(errnoOf(error))}`);
  }
}

/** A prefix that does not exist allows what is below its name, which is nothing. */
function realPathOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
