/**
 * Files of a living sandbox, named as in `node:fs/promises`. Every path is resolved by the kernel beneath the
 * descriptor of one of its trees; the last step of operations on names is done in the parent folder, opened
 * that way, so that nothing a program does meanwhile can lead elsewhere.
 */
import { constants, fchmod as fchmodCallback, promises as fs, type Stats } from 'node:fs';
import { promisify } from 'node:util';
import { FileAccessError, isSbxError } from '../errors.js';
import { EEXIST, EXDEV } from '../native/errno.js';
import { immediateBytes, isStream } from '../options/content.js';
import {
  validateAppendFile,
  validateCopyFile,
  validateLinkTarget,
  validateMkdir,
  validateMode,
  validateReadFile,
  validateRm,
  validateWriteFile,
} from '../options/file-calls.js';
import { holdStream } from '../streams/held.js';
import type { Content, FileInput, FileStat } from '../types/files.js';
import { call, inParentBeside, inTreeBeside, openParentBeside, readBeside } from './beside-programs.js';
import { fail, readChunks, refuseUnlessRegular, writeChunks } from './chunks.js';
import { createBeside, makeLinkBeside, modeOf, writeInto } from './copy.js';
import { copyWithin } from './copy-within.js';
import { hostChunks, withHostFile } from './host-input.js';
import { type FolderEntry, kindOf, listBelow, listFolder } from './list.js';
import { afterFailedWrite, isAbsent } from './no-space.js';
import { notRegular, notRemoved } from './refusals.js';
import { O_PATH, parentsInTree, type WorkFolder } from './trees.js';
import { Turns } from './turns.js';

const fchmod = promisify(fchmodCallback);

const READ_BYTES_MAX = 512 * 2 ** 20;
/** There is nothing at a path, or not even its folder. */
const ABSENT: ReadonlySet<string> = new Set(['SBX_FILE_NOT_FOUND', 'SBX_FILE_NOT_FOLDER']);

/** Data that can be written: text, bytes, a stream of either, or as in `files`. */
export type FileData = string | Uint8Array | AsyncIterable<Uint8Array | string> | FileInput;
/** As `FileData`, without links. */
export type FileContents = Exclude<FileData, { symlink: string }>;

export class WorkFiles {
  readonly #folder: WorkFolder;
  readonly #check: () => void;

  /** `check` throws when the sandbox is closed. */
  constructor(folder: WorkFolder, check: () => void) {
    this.#folder = folder;
    this.#check = check;
  }

  async readFile(path: string, options: { maxBytes?: number } = {}): Promise<Uint8Array> {
    validateReadFile(options);
    this.#check();
    const { maxBytes = READ_BYTES_MAX } = options;
    const got = await readBeside(this.#folder, path, maxBytes);
    if (typeof got === 'number')
      throw new FileAccessError({ operation: 'readFile', path, errno: -got, ...notRegular(-got) });
    const [bytes, , sizeBytes] = got;
    if (sizeBytes > maxBytes) throw new FileAccessError({ operation: 'readFile', path, errno: 'EFBIG' });
    return bytes;
  }

  async writeFile(path: string, data: FileData, options: { mode?: number } = {}): Promise<void> {
    validateWriteFile(data, options);
    this.#check();
    holdStream(data);
    const { mode } = options;
    if (isStream(data)) return this.#writeStream(path, data, { mode: mode ?? 0o644, operation: 'writeFile' });
    if (typeof data === 'object' && 'symlink' in data)
      return makeLinkBeside(this.#folder, path, data.symlink);
    const absent = isAbsent(this.#folder, path);
    const isNew = typeof absent === 'boolean' ? absent : await absent;
    this.#check();
    try {
      await writeInto(this.#folder, path, data, { mode: mode ?? modeOf(data), follow: true });
    } catch (error) {
      const remove = isNew ? () => this.rm(path, { force: true }) : null;
      throw await afterFailedWrite(this.#folder, path, error, remove);
    }
  }

  async appendFile(path: string, data: FileContents, options: { mode?: number } = {}): Promise<void> {
    validateAppendFile(data, options);
    this.#check();
    holdStream(data);
    const { mode = isStream(data) ? 0o644 : modeOf(data) } = options;
    const append = (source: AsyncIterable<Uint8Array | string>) =>
      this.#writeStream(path, source, { mode, operation: 'appendFile', flags: constants.O_APPEND });
    if (isStream(data)) return append(data);
    const bytes = immediateBytes(data);
    if (bytes !== null) return append(once(bytes));
    await withHostFile(data as Content, path, (file, _, refuse) => append(hostChunks(file, refuse)));
  }

  async copyFile(from: string, to: string, options: { mode?: number } = {}): Promise<void> {
    validateCopyFile(from, to, options);
    const file = await this.#open('copyFile', from, constants.O_RDONLY);
    try {
      await copyWithin(this.#folder, { file, path: from }, to, options.mode);
    } finally {
      this.#close(file);
    }
  }

  async *read(path: string): AsyncGenerator<Uint8Array, void, undefined> {
    const file = await this.#open('readFile', path, constants.O_RDONLY);
    try {
      refuseUnlessRegular(file, 'readFile', path);
      yield* readChunks(file, path);
    } finally {
      this.#close(file);
    }
  }

  async mkdir(path: string, options: { recursive?: boolean; mode?: number }): Promise<void> {
    validateMkdir(options);
    const { recursive = false, mode = 0o755 } = options;
    if (recursive && (await this.#isFolder(path))) return;
    const { native, owner } = this.#folder;
    const make = (at: string) =>
      this.#inParent('mkdir', at, (dir, name, later) => native.makeFolder({ dir, name, mode, owner, later }));
    const turns = new Turns();
    for (const parent of recursive ? parentsInTree(this.#folder, path) : []) {
      checkMade(path, await make(parent), true);
      if (turns.isOver) await turns.next();
    }
    const made = await make(path);
    checkMade(path, made, recursive && made === EEXIST && (await this.#isFolder(path)));
  }

  async readdir(path: string, recursive: boolean): Promise<FolderEntry[]> {
    const flags = constants.O_RDONLY | constants.O_DIRECTORY;
    const dir = await this.#open('readdir', path, flags, { root: true });
    try {
      if (recursive) return await listBelow(this.#folder, { dir, path });
      return await call(this.#folder, () => listFolder({ dir, path })).catch((error) =>
        fail('readdir', path, error),
      );
    } finally {
      this.#close(dir);
    }
  }

  async stat(path: string, follow: boolean): Promise<FileStat> {
    const flags = constants.O_RDONLY | O_PATH | (follow ? 0 : constants.O_NOFOLLOW);
    const file = await this.#open(follow ? 'stat' : 'lstat', path, flags, { root: true, follow });
    try {
      return toStat(await fs.stat(`/proc/self/fd/${file}`)); // of what is open, a link included
    } finally {
      this.#close(file);
    }
  }

  async exists(path: string): Promise<boolean> {
    try {
      await this.stat(path, true);
      return true;
    } catch (error) {
      if (error instanceof FileAccessError && ABSENT.has(error.code)) return false;
      throw error;
    }
  }

  async rm(path: string, options: { recursive?: boolean; force?: boolean }): Promise<void> {
    validateRm(options);
    const { recursive = false, force = false } = options;
    const { native, owner } = this.#folder;
    const remove = async (dir: number, name: string) => {
      if (!recursive) return fs.unlink(`/proc/self/fd/${dir}/${name}`);
      const removed = await native.removeTree({ dir, name, owner });
      if (removed < 0) throw Object.assign(new Error(), { errno: removed });
    };
    try {
      await this.#inParent('rm', path, remove);
    } catch (error) {
      if (isSbxError(error)) throw error;
      const errno = Math.abs((error as NodeJS.ErrnoException).errno ?? 0);
      if (force && errno === 2) return;
      throw new FileAccessError({ operation: 'rm', path, errno, ...notRemoved(-errno, recursive) });
    }
  }

  async rename(from: string, to: string): Promise<void> {
    const { native, owner } = this.#folder;
    const [fromDir, fromName] = await this.#openParent('rename', from);
    const rename = (toDir: number, toName: string, later: boolean) =>
      native.renameIn({ fromDir, from: fromName, toDir, to: toName, owner, later });
    const renamed = await this.#inParent('rename', to, rename).finally(() => this.#close(fromDir));
    if (renamed >= 0) return;
    const reason = `${JSON.stringify(to)} is in another file system, where nothing can be moved: copy it and remove this one.`;
    const more = renamed === EXDEV ? { reason } : {};
    throw new FileAccessError({ operation: 'rename', path: from, errno: -renamed, ...more });
  }

  async symlink(to: string, path: string): Promise<void> {
    validateLinkTarget(to);
    this.#check();
    await makeLinkBeside(this.#folder, path, to);
  }

  async readlink(path: string): Promise<string> {
    const read = (dir: number, name: string) => fs.readlink(`/proc/self/fd/${dir}/${name}`);
    return this.#inParent('readlink', path, read).catch((error) => fail('readlink', path, error));
  }

  async chmod(path: string, mode: number): Promise<void> {
    validateMode(mode);
    const file = await this.#open('chmod', path, constants.O_RDONLY, { root: true });
    await call(this.#folder, () => fchmod(file, mode))
      .catch((error) => fail('chmod', path, error))
      .finally(() => this.#close(file));
  }

  /** A link to one is one. */
  async #isFolder(path: string): Promise<boolean> {
    this.#check();
    const { native } = this.#folder;
    const flags = O_PATH | constants.O_DIRECTORY;
    const open = (dir: number, below: string, later: boolean) =>
      native.openBeneath({ dir, path: below, flags, follow: true, later });
    const opened = await inTreeBeside<number>(this.#folder, path, open, true);
    if (opened >= 0) this.#close(opened);
    return opened >= 0;
  }

  async #writeStream(
    path: string,
    source: AsyncIterable<Uint8Array | string>,
    options: { mode: number; operation: string; flags?: number },
  ): Promise<void> {
    const { operation } = options;
    const file = await createBeside(this.#folder, path, { ...options, follow: true });
    try {
      refuseUnlessRegular(file, operation, path);
      await writeChunks(this.#folder, { file, operation, path }, source);
    } finally {
      this.#close(file);
    }
  }

  #close(fd: number): void {
    this.#folder.native.closeFds([fd]);
  }

  async #open(
    operation: string,
    path: string,
    flags: number,
    { root = false, follow = true } = {},
  ): Promise<number> {
    this.#check();
    const { native } = this.#folder;
    const open = (dir: number, below: string, later: boolean) =>
      native.openBeneath({ dir, path: below, flags, follow, later });
    const opened = await inTreeBeside<number>(this.#folder, path, open, root);
    if (opened < 0) throw new FileAccessError({ operation, path, errno: -opened, ...notRegular(-opened) });
    return opened;
  }

  async #openParent(operation: string, path: string): Promise<[fd: number, name: string]> {
    this.#check();
    return openParentBeside(this.#folder, operation, path);
  }

  async #inParent<T>(
    operation: string,
    path: string,
    work: (dir: number, name: string, later: boolean) => T | Promise<T>,
  ): Promise<T> {
    this.#check();
    return inParentBeside(this.#folder, operation, path, work);
  }
}

/** Of a folder; `mayExist`: what is there may be one, which whatever goes into it finds out. */
function checkMade(path: string, made: number, mayExist: boolean): void {
  if (made >= 0 || (mayExist && made === EEXIST)) return;
  throw new FileAccessError({ operation: 'mkdir', path, errno: -made });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

function toStat(stats: Stats): FileStat {
  return { kind: kindOf(stats), sizeBytes: stats.size, mode: stats.mode & 0o7777, modifiedMs: stats.mtimeMs };
}
