/**
 * Compiled Python modules beside a source. No package lists them: the system's own scripts make them when a
 * package is installed. Without them every start compiles what it imports anew, since nothing can be written
 * there.
 */
import { closeSync, lstatSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Only the owner may have written it. */
const WRITABLE_BY_OTHERS = 0o022;
const HEADER_BYTES = 16;

let listed = { folder: '', names: [] as string[] };

/** Those that were made of this very source, as the interpreter itself tells: by its time and size. */
export function byteCodeOf(source: string, status: Stats): { path: string; status: Stats }[] {
  if (!source.endsWith('.py')) return [];
  const folder = join(dirname(source), '__pycache__');
  const stem = `${basename(source, '.py')}.cpython-`;
  return namesIn(folder)
    .filter((name) => name.startsWith(stem) && name.endsWith('.pyc'))
    .map((name) => ({ path: join(folder, name), status: lstatSync(join(folder, name)) }))
    .filter((one) => one.status.isFile() && one.status.uid === status.uid)
    .filter((one) => (one.status.mode & WRITABLE_BY_OTHERS) === 0 && isMadeOf(one.path, status));
}

function isMadeOf(path: string, { mtimeMs, size }: Stats): boolean {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    if (readSync(file, header, 0, HEADER_BYTES, 0) < HEADER_BYTES) return false;
    const [flags, seconds, bytes] = [4, 8, 12].map((at) => header.readUInt32LE(at));
    return flags === 0 && seconds === Math.floor(mtimeMs / 1000) >>> 0 && bytes === size >>> 0;
  } finally {
    closeSync(file);
  }
}

/** Sources come folder by folder: the last listing serves them all. */
function namesIn(folder: string): string[] {
  if (listed.folder !== folder) {
    const isThere = statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? false;
    listed = { folder, names: isThere ? readdirSync(folder) : [] };
  }
  return listed.names;
}
