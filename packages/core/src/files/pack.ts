/** A work folder to a tar archive (POSIX pax), while programs may change it. */
import { isUtf8 } from 'node:buffer';
import { type BigIntStats, constants, promises as fs, fstatSync, read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import type { TarHeader, TarPackController } from 'modern-tar';
import { FileAccessError } from '../errors.js';
import { EFBIG, EILSEQ } from '../native/errno.js';
import { timeFields } from './archive-time.js';
import { call, inParentBeside } from './beside-programs.js';
import type { WorkFolder } from './trees.js';
import { GONE, walkTree } from './walk.js';

const read = promisify(readCallback);

/** The bounds of an archive, and the owner of its files. */
export interface PackOptions {
  /** Of all contents together. */
  maxBytes: number;
  /** Files, folders and links. */
  maxFileCount: number;
  /** Of programs, as they see it. */
  uid: number;
}

/** What invalid bytes become in a string. */
const REPLACED = '\u{fffd}';
/** Files up to this size are read in one piece. */
const SMALL_BYTES = 64 * 1024;

/**
 * The archive, as it is read. Rejects with a `FileAccessError` at a bound, or at a name that no archive can
 * carry.
 */
export async function* packTree(folder: WorkFolder, options: PackOptions): AsyncGenerator<Uint8Array, void> {
  const { createTarPacker } = await import('modern-tar');
  const { readable, controller } = createTarPacker();
  const packer = new Packer(folder, controller, options);
  packer
    .run()
    .then(() => controller.finalize())
    .catch((error) => controller.error(error)); // comes out of the iteration, unless nobody reads any more
  // Not `yield*`, which would not pass on why it ends.
  for await (const chunk of readable) yield chunk;
}

class Packer {
  readonly #folder: WorkFolder;
  readonly #archive: TarPackController;
  readonly #options: PackOptions;
  /** Of files with several names: their first one, by inode. */
  readonly #linked = new Map<bigint, string>();
  #leftBytes: number;
  #leftCount: number;

  constructor(folder: WorkFolder, archive: TarPackController, options: PackOptions) {
    this.#folder = folder;
    this.#archive = archive;
    this.#options = options;
    this.#leftBytes = options.maxBytes;
    this.#leftCount = options.maxFileCount;
  }

  async run(): Promise<void> {
    const start = { dir: this.#root, path: '.', recursive: true };
    for await (const entry of walkTree(this.#folder, start)) {
      if ('errno' in entry) throw refusal(entry.path, entry.errno);
      if (--this.#leftCount < 0) throw refusal(entry.path, EFBIG);
      await this.#add(entry.path, entry.stats);
    }
  }

  get #root(): number {
    return this.#folder.trees[0]!.fd;
  }

  /** Sockets, pipes and devices are nothing without their programs. */
  async #add(path: string, stats: BigIntStats): Promise<void> {
    if (stats.isDirectory()) return this.#put({ name: `${path}/`, type: 'directory' }, stats);
    if (stats.isSymbolicLink()) return this.#addLink(path, stats);
    if (!stats.isFile()) return;
    const linkname = stats.nlink > 1 ? this.#linked.get(stats.ino) : undefined;
    if (linkname !== undefined) return this.#put({ name: path, type: 'link', linkname }, stats);
    return stats.size > SMALL_BYTES ? this.#addLarge(path) : this.#addSmall(path, stats);
  }

  async #addLink(path: string, stats: BigIntStats): Promise<void> {
    const said = await call(this.#folder, (later) =>
      this.#folder.native.readLinkBeneath({ dir: this.#root, path, later }),
    );
    if (typeof said !== 'string') return;
    if (said.includes(REPLACED) && !(await this.#isText(path))) throw refusal(path, EILSEQ);
    return this.#put({ name: path, type: 'symlink', linkname: said }, stats);
  }

  /** Of a link that seems to say a replacement character: whether it does. */
  async #isText(path: string): Promise<boolean> {
    const read = (dir: number, name: string) => fs.readlink(`/proc/self/fd/${dir}/${name}`, 'buffer');
    try {
      return isUtf8(await inParentBeside(this.#folder, 'snapshot', path, read));
    } catch {
      return false; // changed meanwhile: what it said is not known
    }
  }

  async #addSmall(path: string, stats: BigIntStats): Promise<void> {
    const file = await this.#openFile(path);
    if (file < 0) return this.#passOver(path, file);
    const opened = fstatSync(file, { bigint: true });
    if (!opened.isFile()) return this.#folder.native.closeFds([file]);
    const got = this.#folder.native.takeFile(file, SMALL_BYTES); // it closes it
    if (typeof got === 'number') return this.#passOver(path, got);
    const [bytes, , sizeBytes] = got;
    if (sizeBytes > SMALL_BYTES) return this.#addLarge(path); // it grew meanwhile
    this.#spend(path, bytes.byteLength);
    await this.#put({ name: path, type: 'file', size: bytes.byteLength }, stats, bytes);
    this.#noteNames(path, opened);
  }

  /** Further names of what is in the archive now are links to this one. */
  #noteNames(path: string, { nlink, ino }: BigIntStats): void {
    if (nlink > 1) this.#linked.set(ino, path);
  }

  async #openFile(path: string): Promise<number> {
    const { native } = this.#folder;
    const flags = constants.O_RDONLY;
    return call(this.#folder, (later) => native.openBeneath({ dir: this.#root, path, flags, later }));
  }

  /** As large as it is when it is opened: what is cut off meanwhile comes as zeros. */
  async #addLarge(path: string): Promise<void> {
    const { native } = this.#folder;
    const file = await this.#openFile(path);
    if (file < 0) return this.#passOver(path, file);
    try {
      const stats = fstatSync(file, { bigint: true });
      if (!stats.isFile()) return;
      const size = Number(stats.size);
      this.#spend(path, size);
      const sink = this.#open({ name: path, type: 'file', size }, stats);
      for (let at = 0; at < size; ) {
        const chunk = Buffer.alloc(Math.min(SMALL_BYTES, size - at));
        const { bytesRead } = await read(file, chunk, 0, chunk.byteLength, at);
        at += bytesRead === 0 ? chunk.byteLength : bytesRead;
        await sink.write(bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead));
      }
      await sink.close();
      this.#noteNames(path, stats);
    } finally {
      native.closeFds([file]);
    }
  }

  /** Gone is gone; anything else has to be known. */
  #passOver(path: string, errno: number): void {
    if (!GONE.has(errno)) throw refusal(path, errno);
  }

  #spend(path: string, bytes: number): void {
    this.#leftBytes -= bytes;
    if (this.#leftBytes < 0) throw refusal(path, EFBIG);
  }

  async #put(header: Entry, stats: BigIntStats, bytes?: Uint8Array): Promise<void> {
    const sink = this.#open(header, stats);
    if (bytes !== undefined) await sink.write(bytes);
    await sink.close();
  }

  /** A write waits for the reader, and rejects when the reader is gone. */
  #open(header: Entry, stats: BigIntStats): WritableStreamDefaultWriter<Uint8Array> {
    const { uid } = this.#options;
    const mode = Number(stats.mode) & 0o7777;
    const entry = { size: 0, ...header, ...timeFields(stats.mtimeNs), mode, uid, gid: uid };
    return this.#archive.add(entry).getWriter();
  }
}

type Entry = Pick<TarHeader, 'name' | 'type' | 'linkname'> & { size?: number };

function refusal(path: string, errno: number): FileAccessError {
  return new FileAccessError({ operation: 'snapshot', path: path || '.', errno: -errno });
}
