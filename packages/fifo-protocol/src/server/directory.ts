/**
 * The directory of one process: made whole before its path is given to anybody, removed at the end. By its
 * path it is opened once: whoever owns a folder above can put another one there, with links of theirs in it,
 * which nothing may be written to, given to a group or removed through.
 */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  lstatSync,
  openSync,
  rmdirSync,
  unlinkSync,
} from 'node:fs';
import { lchown, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FifoError } from '../errors.js';
import { CLAIM } from '../names.js';
import type { Layout } from './layout.js';
import { makeFifo } from './mkfifo.js';
import type { Settings } from './options.js';
import { bothEnds, NOT_OURS, refuse, takeOver } from './takeover.js';

const ALONE = { dir: 0o700, pipe: 0o600 };
const WITH_GROUP = { dir: 0o750, pipe: 0o660 };
const A_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

export class Directory {
  readonly path: string;
  readonly #fd: number;
  /** Names that were made in it. */
  readonly #names: string[] = [];

  private constructor({ path, fd }: Opened) {
    this.path = path;
    this.#fd = fd;
  }

  /** Throws a `FifoError`; nothing is left then. */
  static async make(settings: Settings, layout: Layout): Promise<Directory> {
    const directory = new Directory(await makeFolder(settings.dir));
    try {
      await directory.#fill(settings, layout);
      return directory;
    } catch (cause) {
      directory.remove();
      throw failure(directory.path, cause);
    }
  }

  /** A way to it for this process alone, until `remove`. */
  pipe(name: string): string {
    return join(atOf(this.#fd), name);
  }

  /**
   * Later openers get "no such file" instead of waiting for ever. Those who have it open are not disturbed.
   */
  removePipe(name: string): void {
    try {
      unlinkSync(this.pipe(name));
    } catch {
      // somebody was faster
    }
  }

  /**
   * What we made, and the folder when nothing else is in it. Who waits for the other end of a pipe is let go:
   * nobody will come.
   */
  remove(): void {
    const fds = this.#names.flatMap((name) => bothEnds(this.pipe(name)));
    for (const name of this.#names) this.removePipe(name);
    for (const fd of fds) closeSync(fd);
    try {
      if (isSame(lstatSync(this.path), fstatSync(this.#fd))) rmdirSync(this.path);
    } catch {
      // gone, or somebody has put a file there
    }
    closeSync(this.#fd);
  }

  /** What was put into it since it was empty is another manager's, or of somebody who could write to it. */
  async #claim(): Promise<void> {
    await symlink('.', this.pipe(CLAIM));
    this.#names.push(CLAIM);
    const names = await readdir(atOf(this.#fd));
    if (names.some((name) => name !== CLAIM)) throw refuse(this.path, 'others make files in it');
  }

  async #fill({ group, pipes }: Settings, layout: Layout): Promise<void> {
    const modes = group === null ? ALONE : WITH_GROUP;
    const streams = pipes ? [layout.downward, layout.upward] : [];
    const fifos = [layout.wait, ...layout.replies, ...streams];
    await this.#claim();
    for (const [link, target] of Object.entries(layout.aliases)) {
      await symlink(target, this.pipe(link));
      this.#names.push(link);
    }
    this.#names.push(...fifos);
    // All of them: one that is still being made when another has failed would stay.
    const made = await Promise.allSettled(fifos.map((name) => makeFifo(join(this.path, name), modes.pipe)));
    for (const one of made) if (one.status === 'rejected') throw one.reason;
    if (fifos.some((name) => !lstatSync(this.pipe(name)).isFIFO())) throw refuse(this.path, REPLACED);
    this.removePipe(CLAIM);
    if (group === null) return;
    const own = process.geteuid?.() ?? -1;
    for (const name of fifos) await lchown(this.pipe(name), own, group);
    fchownSync(this.#fd, own, group);
    fchmodSync(this.#fd, modes.dir); // last: until now nobody else could come in
  }
}

/** A directory of this user that nobody else can write to. */
interface Opened {
  path: string;
  fd: number;
}

async function makeFolder(wanted: string | null): Promise<Opened> {
  if (wanted === null) {
    const prefix = join(tmpdir(), 'sbx-fifo-');
    const path = await mkdtemp(prefix).catch((cause) => {
      throw failure(`${prefix}…`, cause);
    });
    return { path, fd: openFolder(path) };
  }
  const path = resolve(wanted);
  const isMade = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw failure(path, cause);
      return false;
    },
  );
  const fd = openFolder(path);
  if (isMade) return { path, fd };
  try {
    await takeOver(atOf(fd), path);
    fchmodSync(fd, 0o700);
    return { path, fd };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function openFolder(path: string): number {
  let fd: number;
  try {
    fd = openSync(path, A_FOLDER);
  } catch {
    throw refuse(path, NOT_OURS);
  }
  if (fstatSync(fd).uid === process.geteuid?.()) return fd;
  closeSync(fd);
  throw refuse(path, NOT_OURS);
}

function atOf(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

interface Identity {
  dev: number;
  ino: number;
}

function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

const REPLACED = 'was replaced while its pipes were made';

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'a part of its path is missing',
  EEXIST: 'another manager starts in it',
};

function failure(path: string, cause: unknown): FifoError {
  if (cause instanceof FifoError) return cause;
  const why = WHY[(cause as NodeJS.ErrnoException).code ?? ''] ?? String(cause);
  const message = `The directory ${path} with its pipes cannot be made: ${why}.`;
  return new FifoError({ code: 'SBX_FIFO_DIRECTORY', message, details: { path }, cause });
}
