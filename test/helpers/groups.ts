/** Cgroups that a test has made. */
import { rmdirSync } from 'node:fs';
import { until } from './wait.js';

/** Removes them, inner ones first: what has ended may be there for a moment yet. */
export function removeGroups(folders: readonly string[]): Promise<void> {
  return until(5000, 'the groups are gone', () => folders.every(tryRemove));
}

function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
  return true;
}
