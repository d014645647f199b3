/** What a name on the host leads to. */
import { lstatSync, type Stats, statSync } from 'node:fs';

/** No such name, one below a file, links in a circle. Node's `throwIfNoEntry` knows the first alone. */
const NOTHING_THERE: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP'];

/** Behind all links; `null`: nothing is there. */
export function statAt(path: string): Stats | null {
  return unlessNothing(statSync, path);
}

/** The name itself, which may be a link; `null`: there is none. */
export function lstatAt(path: string): Stats | null {
  return unlessNothing(lstatSync, path);
}

function unlessNothing(look: (path: string) => Stats, path: string): Stats | null {
  try {
    return look(path);
  } catch (error) {
    if (NOTHING_THERE.includes((error as NodeJS.ErrnoException).code)) return null;
    throw error;
  }
}
