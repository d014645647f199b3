/** Paths of the host as the tree of a minimal root has them: no link in any folder on the way. */
import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { DEFAULT_ENV } from '../options/defaults.js';

/** The same file, its folder without links; the last part may be one. `null`: there is no such folder. */
export function canonical(path: string): string | null {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/** How packages may list it: they know /bin and /lib as folders, on hosts where those are links into /usr. */
export function listedNames(path: string): string[] {
  return [path, path.replace(/^\/usr(?=\/(s?bin|lib\w*)\/)/, '')];
}

/** A program by path, or by name on the default PATH; `null`: there is none. */
export function findProgram(word: string): string | null {
  const paths = word.startsWith('/')
    ? [word]
    : DEFAULT_ENV.PATH!.split(':').map((folder) => `${folder}/${word}`);
  return paths.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false; // whatever the reason, it cannot be shown
  }
}
