import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';

/** As `mkdir -p`. Node's own never comes back where the kernel makes no folders, as below /proc. */
export async function makeFolders(path: string, mode: number): Promise<void> {
  try {
    await makeFolder(path, mode);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeFolders(dirname(path), mode);
    await makeFolder(path, mode);
  }
}

async function makeFolder(path: string, mode: number): Promise<void> {
  await mkdir(path, { mode }).catch(async (error) => {
    const isThere = error.code === 'EEXIST' && (await stat(path)).isDirectory();
    if (!isThere) throw error;
  });
}
