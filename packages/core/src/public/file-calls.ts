/** Calls on the files of a sandbox, whoever lives in it. */
import { Readable, type Writable } from 'node:stream';
import type { FolderEntry } from '../files/list.js';
import type { WorkFolder } from '../files/trees.js';
import { type FileContents, type FileData, WorkFiles } from '../files/work-files.js';
import { validateFiles, validateReaddir } from '../options/file-calls.js';
import { textOf } from '../streams/text.js';
import { untilClosed } from '../streams/until-closed.js';
import { writableOf } from '../streams/writable.js';
import type { FileInput, FileStat } from '../types/files.js';

const NO_OPTIONS = Object.freeze({});

/**
 * Calls on files, named as in `node:fs/promises`. Paths start at the work folder; absolute ones name a place
 * in it, in /tmp, /dev/shm or a `tmpfs` row. Links that lead out of these are refused, and so is what is no
 * regular file.
 */
export class FileCalls {
  readonly #files: WorkFiles;
  readonly #folder: WorkFolder;

  /** @internal */
  static of(folder: WorkFolder, check: () => void): FileCalls {
    return new FileCalls(folder, check);
  }

  /** @internal `check` throws when the sandbox is closed. */
  protected constructor(folder: WorkFolder, check: () => void) {
    this.#files = new WorkFiles(folder, check);
    this.#folder = folder;
  }

  /** Bytes of a file. More than `maxBytes` (default 512 MiB) is an error. */
  readFile(path: string, options: { maxBytes?: number | undefined } = NO_OPTIONS): Promise<Uint8Array> {
    return this.#files.readFile(path, options);
  }

  /** A file as UTF-8. */
  async readTextFile(path: string, options: { maxBytes?: number | undefined } = NO_OPTIONS): Promise<string> {
    return textOf(await this.readFile(path, options));
  }

  /**
   * Creates or replaces a file; parent folders are made. When the disk is full, a file that was not there is
   * removed again; but what was written of a stream, or over another file, stays when it fails.
   */
  writeFile(
    path: string,
    data: FileData,
    options: { mode?: number | undefined } = NO_OPTIONS,
  ): Promise<void> {
    return this.#files.writeFile(path, data, options);
  }

  /**
   * Writes at the end of a file, which is made where there is none, with its parent folders; `mode` is of
   * a new one, default 0o644. Bytes that programs write at the same time are kept. What was written stays
   * when it fails.
   */
  appendFile(
    path: string,
    data: FileContents,
    options: { mode?: number | undefined } = NO_OPTIONS,
  ): Promise<void> {
    return this.#files.appendFile(path, data, options);
  }

  /**
   * Copies a file within the sandbox, from one of its file systems to another where need be; replaces what is
   * at `to`, whose parent folders are made. `mode`: permissions of the copy, default those of `from`. Holes
   * stay holes. Links as for `readFile` and `writeFile`; a file that is its own copy stays as it is. What was
   * copied stays when it fails: when the disk is full, with `SBX_FILE_NO_SPACE`. For a folder run `cp -a`.
   */
  copyFile(from: string, to: string, options: { mode?: number | undefined } = NO_OPTIONS): Promise<void> {
    return this.#files.copyFile(from, to, options);
  }

  /** Several files at once. */
  async writeFiles(files: Readonly<Record<string, FileInput | string | Uint8Array>>): Promise<void> {
    validateFiles(files);
    for (const [path, data] of Object.entries(files)) await this.#files.writeFile(path, data);
  }

  /** Makes a folder; with `recursive` its parents too, and an existing one is fine. */
  mkdir(
    path: string,
    options: { recursive?: boolean | undefined; mode?: number | undefined } = NO_OPTIONS,
  ): Promise<void> {
    return this.#files.mkdir(path, options);
  }

  /**
   * Names in a folder; with `withFileTypes` their kinds. Without a path the work folder. With `recursive`
   * also what is in the folders below, as paths from this one; links are not followed. More than 65 536
   * entries are an `SBX_FILE_TOO_LARGE`.
   */
  readdir(
    path: string | undefined,
    options: { withFileTypes: true; recursive?: boolean | undefined },
  ): Promise<FolderEntry[]>;
  readdir(
    path?: string,
    options?: { withFileTypes?: false | undefined; recursive?: boolean | undefined },
  ): Promise<string[]>;
  async readdir(
    path = '.',
    options: { withFileTypes?: boolean | undefined; recursive?: boolean | undefined } = NO_OPTIONS,
  ): Promise<string[] | FolderEntry[]> {
    validateReaddir(options);
    const entries = await this.#files.readdir(path, options.recursive ?? false);
    return options.withFileTypes ? entries : entries.map((entry) => entry.path);
  }

  /** Follows links that stay in their file system. */
  stat(path: string): Promise<FileStat> {
    return this.#files.stat(path, true);
  }

  /** Whether there is anything at a path. Links as for `stat`: one that leads nowhere is nothing. */
  exists(path: string): Promise<boolean> {
    return this.#files.exists(path);
  }

  /** Of the link itself. */
  lstat(path: string): Promise<FileStat> {
    return this.#files.stat(path, false);
  }

  /**
   * Removes a file; with `recursive` a folder and all below it; with `force` nothing there is fine. Never
   * follows a link. While programs go on making files in the folder it tries for 2 s, and 50 µs more for each
   * file of the file system (3 s where there are 16 384; 9 s in all where `diskFileCount` is `null`); then it
   * is an `SBX_FILE_NOT_EMPTY`, and what is left is still in the folder.
   */
  rm(
    path: string,
    options: { recursive?: boolean | undefined; force?: boolean | undefined } = NO_OPTIONS,
  ): Promise<void> {
    return this.#files.rm(path, options);
  }

  /** Within one file system; replaces what is at `to`. */
  rename(from: string, to: string): Promise<void> {
    return this.#files.rename(from, to);
  }

  /** Makes a link at `path` that says `target`; where it leads is only the programs' affair. */
  symlink(target: string, path: string): Promise<void> {
    return this.#files.symlink(target, path);
  }

  /** The target of a symbolic link. */
  readlink(path: string): Promise<string> {
    return this.#files.readlink(path);
  }

  /** Mode in octal: `0o755`. */
  chmod(path: string, mode: number): Promise<void> {
    return this.#files.chmod(path, mode);
  }

  /** A file as it is read, in chunks. It ends with an error when the sandbox is closed before. */
  createReadStream(path: string): Readable {
    const stream = Readable.from(this.#files.read(path), { objectMode: false });
    return untilClosed(stream, this.#folder.closing());
  }

  /** Writes a file as it comes. */
  createWriteStream(path: string, options: { mode?: number | undefined } = NO_OPTIONS): Writable {
    return writableOf((source) => this.#files.writeFile(path, source, options));
  }
}
