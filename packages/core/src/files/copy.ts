/** Files into a sandbox before a program starts. */
import { FileAccessError } from '../errors.js';
import { immediateBytes } from '../options/content.js';
import type { Content, FileInput } from '../types/files.js';
import { withHostFile } from './host-input.js';
import { notRegular } from './refusals.js';
import { inParent, inTree, type WorkFolder } from './trees.js';

type Files = Readonly<Record<string, FileInput | string | Uint8Array>>;
/** The content of a file. */
export type FileContent = Content | string | Uint8Array;

/**
 * Writes files, making folders on the way; then links. Returns a promise only when something of the host must
 * be read.
 */
export function copyIn(folder: WorkFolder, files: Files): Promise<void> | undefined {
  const entries = Object.entries(files);
  for (const [index, [path, input]] of entries.entries()) {
    if (linkOf(input) !== undefined) continue;
    const written = writeInto(folder, path, input as FileContent, { mode: modeOf(input) });
    if (written !== undefined) return copyRest(folder, entries, index + 1, written);
  }
  makeLinks(folder, entries);
  return undefined;
}

type Entry = [path: string, input: Files[string]];

async function copyRest(
  folder: WorkFolder,
  entries: readonly Entry[],
  from: number,
  before: Promise<void>,
): Promise<void> {
  await before;
  for (const [path, input] of entries.slice(from)) {
    if (linkOf(input) !== undefined) continue;
    folder.checkOpen();
    await writeInto(folder, path, input as FileContent, { mode: modeOf(input) });
  }
  folder.checkOpen();
  makeLinks(folder, entries);
}

function makeLinks(folder: WorkFolder, entries: readonly Entry[]): void {
  for (const [path, input] of entries) {
    const to = linkOf(input);
    if (to !== undefined) makeLink(folder, path, to);
  }
}

function linkOf(input: Files[string]): string | undefined {
  return typeof input === 'object' ? (input as { symlink?: string }).symlink : undefined;
}

/** Makes a link. Throws `FileAccessError`. */
export function makeLink(folder: WorkFolder, path: string, to: string): void {
  const { native, owner } = folder;
  const made = inParent(folder, 'symlink', path, (dir, name) => native.makeSymlink({ dir, name, to, owner }));
  if (made < 0) throw new FileAccessError({ operation: 'symlink', path, errno: -made });
}

/**
 * Writes one file, following no link at its end unless told to. Throws `FileAccessError`, or rejects with
 * one.
 */
export function writeInto(
  folder: WorkFolder,
  path: string,
  content: FileContent,
  { mode, follow = false }: { mode: number; follow?: boolean },
): Promise<void> | undefined {
  const { native } = folder;
  const bytes = immediateBytes(content);
  if (bytes === null) return copyFromHost(folder, path, content as Content, { mode, follow });
  const file = create(folder, path, { mode, follow });
  checkWritten(native.fillFile(file, bytes), path);
  return undefined;
}

/** By the kernel: no byte of it comes here. */
async function copyFromHost(
  folder: WorkFolder,
  path: string,
  content: Content,
  { mode, follow }: { mode: number; follow: boolean },
): Promise<void> {
  await withHostFile(content, path, async (from) => {
    folder.checkOpen();
    checkWritten(await folder.native.copyFile(from, create(folder, path, { mode, follow })), path);
  });
}

/** A regular file to be written anew, its folders made. Throws `FileAccessError`. */
export function create(
  folder: WorkFolder,
  path: string,
  { mode, follow, operation = 'create' }: { mode: number; follow: boolean; operation?: string },
): number {
  const { native, owner, folderMode } = folder;
  const made = inTree(folder, path, (dir, below) =>
    native.createFile({ dir, path: below, mode, folderMode, owner, follow }),
  );
  if (made >= 0) return made;
  throw new FileAccessError({ operation, path, errno: -made, ...notRegular(-made) });
}

function checkWritten(written: number, path: string): void {
  if (written < 0) throw new FileAccessError({ operation: 'write', path, errno: -written });
}

/** Mode of a new file. */
export function modeOf(input: FileInput | string | Uint8Array): number {
  if (typeof input === 'string' || input instanceof Uint8Array) return 0o644;
  const { mode, executable } = input as { mode?: number; executable?: boolean };
  return mode ?? (executable ? 0o755 : 0o644);
}
