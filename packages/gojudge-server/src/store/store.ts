/**
 * The file store: a flat folder, one file per id, so that contents never sit in the heap. A file is written
 * under `.sbx/` and appears under its id when it is complete. What is being read stays readable when it is
 * deleted meanwhile: readers hold a descriptor.
 */
import { closeSync, constants, fstatSync, linkSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { copyFile, lstat, readdir, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolders } from './folders.js';
import { isId, newId, PRIVATE } from './ids.js';
import { StoredNames } from './names.js';
import { allocatedBytes, copyWithHoles, isSparse } from './sparse.js';
import { Unfinished } from './unfinished.js';
import { writeNewFile } from './write-file.js';

export interface StoreOptions {
  dir: string;
  /** Remove the folder with all that is in it on `close`. */
  temporary: boolean;
  /** Names survive a restart. Default true. */
  keepsNames?: boolean;
  /** Age since the last use at which a file goes, in ms; 0 for never. */
  timeoutMs: number;
  /** All files together. */
  maxBytes: number;
  maxCount: number;
}

/** No room for another file, or for its name. */
export class StoreFullError extends Error {
  override name = 'StoreFullError';
}

export interface StoreTotals {
  count: number;
  bytes: number;
  /** Characters of all names. */
  nameLength: number;
}

const NEW_FILE = { flag: 'wx', mode: 0o644 } as const;
const SWEEP_MS = 15_000;
/** A full store looks at its folder so often at the most. */
const LOOK_MS = 1000;
const NEARLY_FULL = 0.9;
/** Names are in memory. As long as a path can be. */
const NAME_LENGTH_MAX = 4096;

interface Entry {
  bytes: number;
  nameLength: number;
  usedAt: number;
}

/** An open file, copied by the kernel; it stays the caller's. */
type OpenFile = { fd: number; maxBytes?: number };
type Data = Uint8Array | AsyncIterable<Uint8Array> | OpenFile;

/** Of the store's bytes, for one file. */
type Taken = { bytes: number };

/** Written at once: that is quicker than asking another thread to. */
const SMALL_BYTES = 64 * 1024;

export class FileStore {
  readonly dir: string;
  readonly #options: StoreOptions;
  readonly #names: StoredNames;
  /** Files made by this process. */
  readonly #entries = new Map<string, Entry>();
  readonly #sweeper: NodeJS.Timeout | null;
  #bytes = 0;
  /** Of all names: they count as bytes of the store, but are none in its figures. */
  #nameLength = 0;
  #reserved = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  readonly #unfinished: Unfinished;
  onAdded: (bytes: number) => void = () => undefined;

  private constructor(options: StoreOptions, names: StoredNames) {
    this.dir = options.dir;
    this.#options = options;
    this.#names = names;
    this.#unfinished = new Unfinished(join(options.dir, PRIVATE));
    const everyMs = Math.min(SWEEP_MS, Math.max(100, options.timeoutMs / 4));
    this.#sweeper = options.timeoutMs > 0 ? setInterval(() => void this.#sweep(), everyMs).unref() : null;
  }

  static async open(options: StoreOptions): Promise<FileStore> {
    const own = join(options.dir, PRIVATE);
    await makeFolders(own, 0o700);
    if ((await lstat(own)).isSymbolicLink()) throw new Error(`${own} must be a folder, and is a link`);
    const isJournalled = !options.temporary && options.keepsNames !== false;
    const names = await StoredNames.open(isJournalled ? join(own, 'names.jsonl') : null);
    const store = new FileStore(options, names);
    await store.#unfinished.removeLeft();
    await store.#countForeign();
    return store;
  }

  get totals(): StoreTotals {
    return { count: this.#entries.size, bytes: this.#bytes, nameLength: this.#nameLength };
  }

  /** Every file of the folder: id to original name, `''` when that is not known. */
  async list(): Promise<Map<string, string>> {
    const found = await readdir(this.dir, { withFileTypes: true });
    const ids = found.filter((entry) => entry.isFile()).map(({ name }) => name);
    return new Map(ids.map((id) => [id, this.#names.get(id) ?? '']));
  }

  /** Takes a file in and returns its id. Nothing stays of one that failed. Throws `StoreFullError`. */
  async add(name: string, data: Data): Promise<string> {
    await this.#forgetGoneIfFull();
    if (this.#entries.size + this.#reserved >= this.#options.maxCount) {
      throw new StoreFullError(`file store is full: ${this.#options.maxCount} files`);
    }
    if (name.length > NAME_LENGTH_MAX) {
      throw new StoreFullError(`file store: a name must have at most ${NAME_LENGTH_MAX} characters`);
    }
    this.#checkRoom(name.length);
    this.#reserved += 1;
    const temporary = this.#unfinished.nextPath();
    const taken: Taken = { bytes: 0 };
    let id: string | null = null;
    try {
      await this.#write(temporary, data, taken);
      id = this.#publish(temporary);
      this.#note(id, taken.bytes, name, Date.now());
      await this.#names.set(id, name);
      this.onAdded(taken.bytes);
      return id;
    } catch (error) {
      if (id === null) {
        this.#bytes -= taken.bytes;
        await unlink(temporary).catch(() => undefined); // never made, perhaps
      } else await this.delete(id); // nobody is told of it
      throw asFull(error);
    } finally {
      this.#reserved -= 1;
    }
  }

  /** Original name, or the id when it is not known. */
  nameOf(id: string): string {
    return this.#names.get(id) || id;
  }

  /**
   * Opens for reading and counts as use; `null` when there is no such file. The descriptor is the caller's to
   * close.
   */
  openFd(id: string): number | null {
    if (!isId(id)) return null;
    let fd: number;
    try {
      fd = openSync(join(this.dir, id), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch {
      return null;
    }
    if (!fstatSync(fd).isFile()) {
      closeSync(fd);
      return null;
    }
    const entry = this.#entries.get(id);
    if (entry !== undefined) entry.usedAt = Date.now();
    return fd;
  }

  /** Takes back files of results that nobody will be told of. */
  async drop(results: readonly { fileIds: Map<string, string> }[]): Promise<void> {
    for (const { fileIds } of results) {
      for (const id of fileIds.values()) await this.delete(id);
      fileIds.clear();
    }
  }

  /** `false` when there is no such file. */
  async delete(id: string): Promise<boolean> {
    if (!isId(id)) return false;
    const path = join(this.dir, id);
    const status = await lstat(path).catch(() => null);
    if (status === null) await this.#forget(id); // others may have removed it
    if (status === null || !status.isFile()) return false;
    const removed = await unlink(path).then(
      () => true,
      () => false,
    );
    if (removed) await this.#forget(id);
    return removed;
  }

  /** Safe to call twice. */
  async close(): Promise<void> {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    await this.#names.close();
    if (this.#options.temporary) await rm(this.dir, { recursive: true, force: true });
  }

  async #write(path: string, data: Data, taken: Taken): Promise<void> {
    if ('fd' in data) return this.#copy(path, data, taken);
    const count = (chunk: Uint8Array) => {
      this.#take(chunk.byteLength, taken);
      return chunk;
    };
    if (!(data instanceof Uint8Array)) await writeNewFile(path, data, count);
    else if (data.byteLength <= SMALL_BYTES) writeFileSync(path, count(data), NEW_FILE);
    else await writeFile(path, count(data), NEW_FILE);
  }

  async #copy(
    path: string,
    { fd, maxBytes = Number.POSITIVE_INFINITY }: OpenFile,
    taken: Taken,
  ): Promise<void> {
    const status = fstatSync(fd);
    const size = Math.min(status.size, maxBytes);
    this.#take(Math.min(size, allocatedBytes(status)), taken);
    const copyPart = () => copyWithHoles(fd, path, size);
    if (size < status.size || isSparse(status)) return copyPart();
    await copyFile(`/proc/self/fd/${fd}`, path, constants.COPYFILE_EXCL).catch((error) => {
      // Without root a file that its program made unreadable can be read through its descriptor alone.
      if ((error as NodeJS.ErrnoException).code === 'EACCES') return copyPart();
      throw error;
    });
  }

  #take(bytes: number, taken: Taken): void {
    this.#checkRoom(bytes);
    this.#bytes += bytes;
    taken.bytes += bytes;
  }

  #checkRoom(bytes: number): void {
    if (this.#bytes + this.#nameLength + bytes > this.#options.maxBytes) {
      throw new StoreFullError(`file store is full: ${this.#options.maxBytes} bytes`);
    }
  }

  #note(id: string, bytes: number, { length: nameLength }: string, usedAt: number): void {
    this.#nameLength += nameLength;
    this.#entries.set(id, { bytes, nameLength, usedAt });
  }

  /** Gives a complete file an id that nobody has. */
  #publish(temporary: string): string {
    for (;;) {
      const id = newId();
      try {
        linkSync(temporary, join(this.dir, id));
        unlinkSync(temporary);
        return id;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
    }
  }

  async #forget(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    if (entry !== undefined && this.#entries.delete(id)) {
      this.#bytes -= entry.bytes;
      this.#nameLength -= entry.nameLength;
    }
    await this.#names.delete(id);
  }

  /** What others removed is no reason to refuse: an operator's own clean-up, or another server. */
  async #forgetGoneIfFull(): Promise<void> {
    const { maxBytes, maxCount } = this.#options;
    const held = this.#bytes + this.#nameLength;
    if (held < maxBytes * NEARLY_FULL && this.#entries.size + this.#reserved < maxCount) return;
    if (performance.now() - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = performance.now();
    const known = [...this.#entries.keys()]; // a file that is added meanwhile is not to be missed
    const there = await this.list();
    for (const id of known) if (!there.has(id)) await this.#forget(id);
  }

  /** Files from before count towards the bounds, but never time out. */
  async #countForeign(): Promise<void> {
    for (const [id, name] of await this.list()) {
      const bytes = await stat(join(this.dir, id)).then(allocatedBytes, () => 0);
      this.#bytes += bytes;
      this.#note(id, bytes, name, Number.POSITIVE_INFINITY);
    }
    await this.#names.keepOnly(new Set(this.#entries.keys()));
  }

  async #sweep(): Promise<void> {
    const oldest = Date.now() - this.#options.timeoutMs;
    for (const [id, { usedAt }] of this.#entries) if (usedAt < oldest) await this.delete(id);
  }
}

function asFull(error: unknown): unknown {
  return (error as NodeJS.ErrnoException).code === 'ENOSPC'
    ? new StoreFullError('file store is full: no space left on device')
    : error;
}
