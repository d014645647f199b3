/**
 * Files of jobs on a worker, by their SHA-256: fetched once, also when several jobs want them at the same
 * moment, and kept while there is room. What no job holds goes, least recently used first.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredBlob } from '../wire/blob.js';
import { readChecked } from './reader.js';
import { type BlobStore, type IsOver, type JobStore, jobStore } from './store.js';

/**
 * Files that are kept, however small: each is an inode and an entry here, and a tenant can make any number of
 * them of a byte.
 */
const FILES_MAX = 65_536;

interface Cached {
  path: Promise<string>;
  sizeBytes: number;
  holders: number;
  /** Of those that wait for it: the fetch ends when all are over. */
  waiting: Set<IsOver>;
}

/** A file that stays until it is released. */
export interface HeldFile {
  path: string;
  release(): void;
}

export class FileCache {
  readonly #store: BlobStore;
  readonly #folder: string;
  readonly #bytesMax: number;
  readonly #filesMax: number;
  /**
   * By tenant, hash and size, least recently used first: who gives a wrong size spoils nobody's file, and who
   * knows the hash of another tenant's file gets none.
   */
  readonly #files = new Map<string, Cached>();
  #bytes = 0;
  #names = 0;
  readonly totals = { hits: 0, fetches: 0, evictions: 0 };
  /** Of the files that came whole. */
  fetchedBytes = 0;

  constructor(store: BlobStore, folder: string, bytesMax: number, filesMax = FILES_MAX) {
    this.#store = store;
    this.#folder = folder;
    this.#bytesMax = bytesMax;
    this.#filesMax = filesMax;
  }

  /** Bytes of files that are here or on their way. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Held files are never evicted: jobs that run together may so go over the bound, by what they need. */
  async hold(tenant: string, blob: StoredBlob, isOver: IsOver): Promise<HeldFile> {
    const key = keyOf(tenant, blob);
    const known = this.#files.get(key);
    if (known !== undefined) this.totals.hits += 1;
    const file = known ?? this.#fetch(tenant, blob, isOver);
    this.#files.delete(key);
    this.#files.set(key, file);
    file.holders += 1;
    file.waiting.add(isOver);
    let isHeld = true;
    const release = () => {
      if (isHeld) file.holders -= 1;
      isHeld = false;
      this.#evict();
    };
    try {
      return { path: await file.path, release };
    } catch (error) {
      release();
      throw error;
    } finally {
      file.waiting.delete(isOver);
    }
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #fetch(tenant: string, blob: StoredBlob, isOver: IsOver): Cached {
    const { sizeBytes } = blob;
    this.totals.fetches += 1;
    const waiting = new Set([isOver]);
    const isUnwanted = () => [...waiting].every((isOverFor) => isOverFor());
    const path = this.#write(jobStore(this.#store, tenant, isUnwanted), blob);
    const file: Cached = { path, sizeBytes, holders: 0, waiting };
    this.#bytes += sizeBytes;
    path.catch(() => this.#forget(keyOf(tenant, blob), file));
    this.#evict();
    return file;
  }

  /** As its bytes come, so that a large one is never in memory as a whole. */
  async #write(store: JobStore, blob: StoredBlob): Promise<string> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    // Of its own: an evicted one may still be on its way out.
    const path = join(this.#folder, `${blob.sha256}.${this.#names++}`);
    try {
      await writeFile(path, readChecked(store, blob), { mode: 0o600 });
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
    this.fetchedBytes += blob.sizeBytes;
    return path;
  }

  #forget(key: string, file: Cached): void {
    if (this.#files.get(key) !== file) return;
    this.#files.delete(key);
    this.#bytes -= file.sizeBytes;
  }

  #evict(): void {
    for (const [key, file] of this.#files) {
      if (this.#bytes <= this.#bytesMax && this.#files.size <= this.#filesMax) return;
      if (file.holders > 0) continue;
      this.#forget(key, file);
      this.totals.evictions += 1;
      // A file that cannot be removed goes with the folder.
      file.path.then((path) => rm(path, { force: true })).catch(() => undefined);
    }
  }
}

function keyOf(tenant: string, { sha256, sizeBytes }: StoredBlob): string {
  return `${tenant}.${sha256}.${sizeBytes}`;
}
