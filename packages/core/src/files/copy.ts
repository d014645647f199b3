/** Files into a sandbox before a program starts. */
import { FileAccessError } from '../errors.js';
import { immediateBytes } from '../options/content.js';
import type { Content, FileInput } from '../types/files.js';
import { withHostFile } from './host-input.js';
import { notRegular } from './refusals.js';
import { inParent, inTree, type WorkFolder } from './trees.js';
import { Turns } from './turns.js';

type Files = Readonly<Record<string, FileInput | string | Uint8Array>>;
/** The content of a file. */
export type FileContent = Content | string | Uint8Array;

type Entry = [path: string, input: Files[string]];

/** Where a turn stopped, and what the next one waits for. */
interface Stop {
  next: number;
  until: Promise<void>;
}

/**
 * Writes files, making folders on the way; then links. Returns a promise only when something of the host must
 * be read, or when it takes so long that others must have their turns.
 */
export function copyIn(folder: WorkFolder, files: Files): Promise<void> | undefined {
  const entries = Object.entries(files);
  const isLink = ([, input]: Entry) => linkOf(input) !== undefined;
  const ordered = [...entries.filter((entry) => !isLink(entry)), ...entries.filter(isLink)];
  const stop = copyTurn(folder, ordered, 0);
  return stop === null ? undefined : copyRest(folder, ordered, stop);
}

async function copyRest(folder: WorkFolder, entries: readonly Entry[], first: Stop): Promise<void> {
  for (let stop: Stop | null = first; stop !== null; stop = copyTurn(folder, entries, stop.next)) {
    await stop.until;
    folder.checkOpen();
  }
}

/** `null`: all is there. */
function copyTurn(folder: WorkFolder, entries: readonly Entry[], from: number): Stop | null {
  const turns = new Turns();
  for (let index = from; index < entries.length; index += 1) {
    if (turns.isOver) return { next: index, until: turns.next() };
    const [path, input] = entries[index]!;
    const to = linkOf(input);
    if (to !== undefined) {
      makeLink(folder, path, to);
      continue;
    }
    const until = writeInto(folder, path, input as FileContent, { mode: modeOf(input) });
    if (until !== undefined) return { next: index + 1, until };
  }
  return null;
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
