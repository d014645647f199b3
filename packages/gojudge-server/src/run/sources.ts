/** Inputs of a request, opened before anything runs: a missing one fails the request as a whole, a deleted one stays readable. */
import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { quoteGo } from '../decode/go-text.js';
import { errnoOf, errnoText, RunFailure } from '../errors.js';
import type { FileStore } from '../store/store.js';
import type { Job, Source } from './job.js';

/** An open host file. */
export interface OpenSource {
  handle: FileHandle;
  kind: 'regular' | 'folder' | 'null' | 'other';
  bytes: number;
}

export class Sources {
  readonly #stored = new Map<string, OpenSource>();
  readonly #plain = new Map<string, OpenSource>();

  /** Stored files first, since they are checked before any container; then descriptors' `src`. Throws `RunFailure`. */
  static async open(job: Job, store: FileStore): Promise<Sources> {
    const sources = new Sources();
    try {
      for (const { files, copyIn } of job.programs) {
        for (const file of [...files, ...copyIn.map(([, source]) => source)])
          if (file?.kind === 'stored') await sources.#openStored(file.id, store);
      }
      for (const { files, tty } of job.programs) {
        const prefix = job.programs.length > 1 ? 'prepare fds: prepareCmdFd: ' : '';
        for (const file of files) {
          if (file?.kind === 'src') await sources.#openPlain(file.path, prefix + (tty ? 'tty' : 'pipe'));
        }
      }
      return sources;
    } catch (error) {
      await sources.close();
      throw error;
    }
  }

  /** Of a descriptor. */
  of(source: Source & { kind: 'src' | 'stored' }): OpenSource {
    return source.kind === 'stored' ? this.#stored.get(source.id)! : this.#plain.get(source.path)!;
  }

  async close(): Promise<void> {
    const open = [...this.#stored.values(), ...this.#plain.values()];
    await Promise.all(open.map(({ handle }) => handle.close()));
  }

  async #openStored(id: string, store: FileStore): Promise<void> {
    if (this.#stored.has(id)) return;
    const handle = await store.open(id);
    if (handle === null) throw new RunFailure(`file does not exists with id: ${quoteGo(id)}`);
    this.#stored.set(id, { handle, kind: 'regular', bytes: (await handle.stat()).size });
  }

  async #openPlain(path: string, prefix: string): Promise<void> {
    if (this.#plain.has(path)) return;
    try {
      this.#plain.set(path, await openSource(path));
    } catch (error) {
      throw new RunFailure(`${prefix}: open file ${path}: open ${path}: ${errnoText(errnoOf(error))}`);
    }
  }
}

/** Opens a host file without waiting for a writer, should it be a pipe. */
export async function openSource(path: string): Promise<OpenSource> {
  if (path === '' || path.includes('\0')) throw Object.assign(new Error(), { errno: path === '' ? -2 : -22 });
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  const status = await handle.stat();
  return { handle, kind: kindOf(status), bytes: status.size };
}

/** Device number of /dev/null. */
const NULL_DEVICE = 0x103;

function kindOf(status: Stats): OpenSource['kind'] {
  if (status.isFile()) return 'regular';
  if (status.isDirectory()) return 'folder';
  return status.isCharacterDevice() && status.rdev === NULL_DEVICE ? 'null' : 'other';
}
