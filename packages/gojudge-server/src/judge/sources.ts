/**
 * Host files that a request names, opened before anything runs: one that is deleted meanwhile stays readable.
 * A stored file or a descriptor's `src` that is missing fails the request as a whole; a missing `src` of
 * copyIn only its own program.
 */
import { closeSync, constants, fstatSync, open } from 'node:fs';
import { promisify } from 'node:util';
import { EINVAL, ENOENT, errnoOf, errnoText } from '../errno.js';
import { RunFailure } from '../errors.js';
import { LiveSource } from '../store/read-fd.js';
import type { FileStore } from '../store/store.js';
import { quoteGo } from '../wire/go-text.js';
import type { Job, Source } from './job.js';
import { checkPipeEnds, descriptorPrefix } from './prepare.js';
import { checkOpened, type Prefixes } from './src-prefix.js';

/** `live`: something that is read as it comes. */
export type OpenSource =
  | { kind: 'regular' | 'folder' | 'null'; fd: number }
  | { kind: 'live'; live: LiveSource };

type HostFile = Source & { kind: 'src' | 'stored' };

const openFile = promisify(open);
/** Not in `node:fs`: a descriptor that only names a file. */
const O_PATH = 0o10000000;
/** Without waiting for a writer, should it be a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
/** Device number of /dev/null. */
const NULL_DEVICE = 0x103;

export class Sources {
  readonly #opened = new Map<string, OpenSource>();
  /** Why a `src` of copyIn could not be opened. */
  readonly #errnos = new Map<string, number>();

  readonly #prefixes: Prefixes;

  private constructor(prefixes: Prefixes) {
    this.#prefixes = prefixes;
  }

  /** In go-judge's order: stored files, pipes, what is opened. Rejects with `RunFailure`. */
  static async open(job: Job, store: FileStore, prefixes: Prefixes): Promise<Sources> {
    const { programs } = job;
    const sources = new Sources(prefixes);
    try {
      for (const { files, copyIn } of programs) {
        for (const file of [...files, ...copyIn.map(([, source]) => source)])
          if (file?.kind === 'stored') sources.#openStored(file.id, store);
      }
      checkPipeEnds(job);
      for (const { files, tty } of programs) {
        for (const file of files) {
          if (file?.kind === 'src')
            await sources.#openNeeded(file.path, descriptorPrefix(job) + (tty ? 'tty' : 'pipe'));
        }
      }
      for (const { copyIn } of programs) {
        for (const [, source] of copyIn) if (source.kind === 'src') await sources.#openPlain(source.path);
      }
      return sources;
    } catch (error) {
      sources.close();
      throw error;
    }
  }

  /** Of a descriptor or a stored file. */
  of(source: HostFile): OpenSource {
    return this.#opened.get(keyOf(source))!;
  }

  /** Of copyIn; an error number when it could not be opened. */
  find(source: HostFile): OpenSource | number {
    return this.#opened.get(keyOf(source)) ?? this.#errnos.get(keyOf(source))!;
  }

  close(): void {
    for (const source of this.#opened.values()) {
      if (source.kind === 'live') source.live.close();
      else closeSync(source.fd);
    }
    this.#opened.clear();
  }

  #openStored(id: string, store: FileStore): void {
    const key = keyOf({ kind: 'stored', id });
    if (this.#opened.has(key)) return;
    const fd = store.openFd(id);
    if (fd === null) throw new RunFailure(`file does not exists with id: ${quoteGo(id)}`);
    this.#opened.set(key, { fd, kind: 'regular' });
  }

  async #openNeeded(path: string, prefix: string): Promise<void> {
    const errno = await this.#openPlain(path);
    if (errno === 0) return;
    throw new RunFailure(`${prefix}: open file ${path}: open ${path}: ${errnoText(errno)}`);
  }

  /** 0, or the error number. */
  async #openPlain(path: string): Promise<number> {
    const key = keyOf({ kind: 'src', path });
    if (this.#opened.has(key)) return 0;
    try {
      if (path === '' || path.includes('\0')) throw { errno: path === '' ? ENOENT : EINVAL };
      const fd = await openAllowed(path, this.#prefixes);
      this.#opened.set(key, sourceOf(fd));
      return 0;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 0) throw error;
      this.#errnos.set(key, errno);
      return errno;
    }
  }
}

/**
 * One file from its name to its bytes: what is read is what was checked, and nothing else was opened for
 * reading.
 */
async function openAllowed(path: string, prefixes: Prefixes): Promise<number> {
  if (prefixes === null) return openFile(path, FLAGS);
  const named = await openFile(path, O_PATH);
  try {
    checkOpened(named, path, prefixes);
    return await openFile(`/proc/self/fd/${named}`, FLAGS);
  } finally {
    closeSync(named);
  }
}

function keyOf(source: HostFile): string {
  return source.kind === 'src' ? `src ${source.path}` : `stored ${source.id}`;
}

function sourceOf(fd: number): OpenSource {
  const status = fstatSync(fd);
  if (status.isFile()) return { kind: 'regular', fd };
  if (status.isDirectory()) return { kind: 'folder', fd };
  if (status.isCharacterDevice() && status.rdev === NULL_DEVICE) return { kind: 'null', fd };
  return { kind: 'live', live: new LiveSource(fd) };
}
