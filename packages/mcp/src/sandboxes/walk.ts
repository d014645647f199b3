/** The files below a folder of a sandbox, within bounds whatever a program has made of it. */
import { DEFAULT_LIMITS, type FileStat, type FolderEntry, type Limits, type Sandbox } from '@sbx/core';

export interface ListedFile {
  /** From the folder that was asked for. */
  path: string;
  kind: FileStat['kind'];
  /** `null` where it is gone again, or has a name that is no UTF-8. */
  sizeBytes: number | null;
}

export interface WalkOptions {
  recursive: boolean;
  countMax: number;
}

/** Folders below folders that are followed at the most. */
const DEPTH_MAX = 32;
/** Characters of all paths of a list: a program can give a thousand files four million. */
export const PATH_CHARS_MAX = 128 * 1024;
/** Of one name while a folder is listed, its entries included: 833 were measured for one of 255 bytes. */
const NAME_BYTES = 1024;

/**
 * Bytes that the names of one folder take while it is listed: core returns all that a program has made. Where
 * files have no limit of their own, the memory limit of the sandbox bounds them: each takes about as much of
 * that.
 */
export function namesBytesOf({ diskFileCount = DEFAULT_LIMITS.diskFileCount, memoryBytes }: Limits): number {
  if (diskFileCount === null) return memoryBytes ?? DEFAULT_LIMITS.memoryBytes!;
  return diskFileCount * NAME_BYTES;
}

export interface Listing {
  files: ListedFile[];
  /** There is more than that. */
  isCut: boolean;
}

/** Breadth first, names in order; links are named and not followed. */
export async function listFiles(sandbox: Sandbox, folder: string, options: WalkOptions): Promise<Listing> {
  const files: ListedFile[] = [];
  const folders: { below: string; depth: number }[] = [{ below: '', depth: 0 }];
  let pathChars = 0;
  for (let next = folders.shift(); next !== undefined; next = folders.shift()) {
    const entries = await entriesOf(sandbox, folder, next.below);
    // The others are not kept while sizes are read; the last of these says that there are some.
    entries.length = Math.min(entries.length, options.countMax - files.length + 1);
    for (const { name, kind } of entries) {
      const path = next.below === '' ? name : `${next.below}/${name}`;
      pathChars += path.length;
      if (files.length >= options.countMax || pathChars > PATH_CHARS_MAX) return { files, isCut: true };
      files.push({ path, kind, sizeBytes: await sizeOf(sandbox, `${folder}/${path}`) });
      if (kind !== 'dir' || !options.recursive) continue;
      if (next.depth >= DEPTH_MAX) return { files, isCut: true };
      folders.push({ below: path, depth: next.depth + 1 });
    }
  }
  return { files, isCut: false };
}

/** Of the folder that was asked for an error is told; one below may be gone again, or never was readable. */
async function entriesOf(sandbox: Sandbox, folder: string, below: string): Promise<FolderEntry[]> {
  try {
    const entries = await sandbox.readdir(below === '' ? folder : `${folder}/${below}`, {
      withFileTypes: true,
    });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    if (below === '') throw error;
    return [];
  }
}

async function sizeOf(sandbox: Sandbox, path: string): Promise<number | null> {
  try {
    return (await sandbox.lstat(path)).sizeBytes;
  } catch {
    return null; // gone again
  }
}
