/** Folders of cgroups go from the leaves up, and only when no process lives in them: living ones stay. */
import { readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

const BUSY_TRIES = 200;
const BUSY_WAIT_MS = 5;

/**
 * A group stays busy for some milliseconds after its last process was reaped, so this waits up to a second.
 * What is below goes too: a program's own group stays when its last process takes longer than that to die.
 * True when nothing is left.
 */
export async function removeFolder(folder: string): Promise<boolean> {
  for (let tries = 0; tries < BUSY_TRIES; tries += 1) {
    try {
      await rmdir(folder);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return true;
      if (code !== 'EBUSY' && code !== 'ENOTEMPTY') return false;
      await removeBelow(folder);
      if (tries > 0) await new Promise((resolve) => setTimeout(resolve, BUSY_WAIT_MS));
    }
  }
  return false;
}

/** Tries once. */
export async function removeTree(folder: string): Promise<void> {
  await removeBelow(folder);
  await rmdir(folder).catch(() => undefined); // busy: somebody lives there after all
}

async function removeBelow(folder: string): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name));
}
