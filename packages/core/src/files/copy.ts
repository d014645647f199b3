/** Files into a sandbox before a program starts. */
import { constants } from 'node:fs';
import { FileAccessError } from '../errors.js';
import { immediateBytes } from '../options/content.js';
import type { Content, FileInput } from '../types/files.js';
import { call, inParentBeside, inTreeBeside, writeBeside } from './beside-programs.js';
import { fail } from './chunks.js';
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
 * be read, when programs live, or when it takes so long that others must have their turns.
 */
export function copyIn(folder: WorkFolder, files: Files): Promise<void> | undefined {
  const entries = Object.entries(files);
  const isLink = ([, input]: Entry) => linkOf(input) !== undefined;
  const ordered = [...entries.filter((entry) => !isLink(entry)), ...entries.filter(isLink)];
  if (folder.isLiving()) return copyBeside(folder, ordered);
  const stop = copyTurn(folder, ordered, 0);
  return stop === null ? undefined : copyRest(folder, ordered, stop);
}

async function copyRest(folder: WorkFolder, entries: readonly Entry[], first: Stop): Promise<void> {
  for (let stop: Stop | null = first; stop !== null; stop = copyTurn(folder, entries, stop.next)) {
    await stop.until;
    folder.checkOpen();
  }
}

async function copyBeside(folder: WorkFolder, entries: readonly Entry[]): Promise<void> {
  for (const [path, input] of entries) {
    const to = linkOf(input);
    if (to !== undefined) await makeLinkBeside(folder, path, to);
    else await writeInto(folder, path, input as FileContent, { mode: modeOf(input) });
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
  checkLinked(
    inParent(folder, 'symlink', path, (dir, name) => native.makeSymlink({ dir, name, to, owner })),
    path,
  );
}

/** As `makeLink`, while programs may live. */
export async function makeLinkBeside(folder: WorkFolder, path: string, to: string): Promise<void> {
  const { native, owner } = folder;
  const make = (dir: number, name: string, later: boolean) =>
    native.makeSymlink({ dir, name, to, owner, later });
  checkLinked(await inParentBeside(folder, 'symlink', path, make), path);
}

function checkLinked(made: number, path: string): void {
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
  if (folder.isLiving()) return writeBytesBeside(folder, path, bytes, { mode, follow });
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
    const to = await createBeside(folder, path, { mode, follow });
    let isTaken = false;
    try {
      const copying = call(folder, (later) => {
        isTaken = true;
        return folder.native.copyFile(from, to, later);
      });
      checkWritten(await copying, path);
    } finally {
      if (!isTaken) folder.native.closeFds([to]);
    }
  });
}

async function writeBytesBeside(
  folder: WorkFolder,
  path: string,
  bytes: Uint8Array,
  options: { mode: number; follow: boolean },
): Promise<void> {
  const file = await createBeside(folder, path, options);
  try {
    await writeBeside(folder, file, bytes).catch((error) => fail('write', path, error));
  } finally {
    folder.native.closeFds([file]);
  }
}

interface CreateOptions {
  mode: number;
  follow: boolean;
  operation?: string;
  /** Of its opening: one that is there keeps its content and mode. Default: it is cut. */
  flags?: number;
}

/** A regular file to be written, its folders made. Throws `FileAccessError`. */
function create(folder: WorkFolder, path: string, options: CreateOptions): number {
  const { native, owner, folderMode } = folder;
  const { mode, follow } = options;
  const made = inTree(folder, path, (dir, below) =>
    native.createFile({ dir, path: below, mode, folderMode, owner, follow }),
  );
  return checkCreated(made, path, options);
}

/** As `create`, while programs may live. */
export async function createBeside(
  folder: WorkFolder,
  path: string,
  options: CreateOptions,
): Promise<number> {
  const { native, owner, folderMode } = folder;
  const { mode, follow, flags = constants.O_TRUNC } = options;
  const made = await inTreeBeside<number>(folder, path, (dir, below, later) =>
    native.createFile({ dir, path: below, mode, folderMode, owner, follow, flags, later }),
  );
  return checkCreated(made, path, options);
}

function checkCreated(made: number, path: string, { operation = 'create' }: CreateOptions): number {
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
