/** The entries of a folder, and of all folders below it. */
import { promises as fs } from 'node:fs';
import { FileAccessError } from '../errors.js';
import { EILSEQ } from '../native/errno.js';
import type { FileStat } from '../types/files.js';
import type { WorkFolder } from './trees.js';
import { type WalkEntry, walkTree } from './walk.js';

/** Entries of one list: a program can make as many as its work folder has room for. */
const ENTRY_COUNT_MAX = 65_536;
/** Characters of all their paths, of which each can have 4096. */
const PATH_CHARS_MAX = 16 * 2 ** 20;

/** Kinds of folder entries. */
export interface FolderEntry {
  /** Without its folder. */
  name: string;
  /** From the folder that is listed: `name`, but of what is in a folder below. */
  path: string;
  /** Kind of the entry; a link is not followed. */
  kind: FileStat['kind'];
}

/** A folder: by descriptor, and as the caller calls it. */
interface Listed {
  dir: number;
  path: string;
}

/** Names of a folder that are read at once: others have their turns in between. */
const NAMES_AT_ONCE = 1024;

/** Of the folder alone, in the order of their names. */
export async function listFolder({ dir, path }: Listed): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  for await (const entry of await fs.opendir(`/proc/self/fd/${dir}`, { bufferSize: NAMES_AT_ONCE })) {
    if (entries.length >= ENTRY_COUNT_MAX) throw tooLarge(path);
    entries.push({ name: entry.name, path: entry.name, kind: kindOf(entry) });
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function tooLarge(path: string): FileAccessError {
  return new FileAccessError({ operation: 'readdir', path, code: 'SBX_FILE_TOO_LARGE' });
}

/** Also of the folders below. Links are listed and not followed; a folder comes before what is in it. */
export async function listBelow(folder: WorkFolder, { dir, path }: Listed): Promise<FolderEntry[]> {
  const entries: FolderEntry[] = [];
  let pathChars = 0;
  for await (const entry of walkTree(folder, { dir, path: '.', recursive: true })) {
    pathChars += entry.path.length;
    if (entries.length >= ENTRY_COUNT_MAX || pathChars > PATH_CHARS_MAX) throw tooLarge(path);
    const name = entry.path.slice(entry.path.lastIndexOf('/') + 1);
    entries.push({ name, path: entry.path, kind: kindOfFound(entry, path) });
  }
  return entries;
}

/** A name that is no text is listed, as of a folder alone, with what text can be made of it. */
function kindOfFound(entry: WalkEntry, from: string): FileStat['kind'] {
  if ('stats' in entry) return kindOf(entry.stats);
  if (entry.errno === EILSEQ) return 'other';
  throw new FileAccessError({ operation: 'readdir', path: `${from}/${entry.path}`, errno: -entry.errno });
}

interface Kinds {
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}

export function kindOf(entry: Kinds): FileStat['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'dir';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}
