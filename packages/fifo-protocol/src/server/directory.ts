/** The directory of one process: made whole before its path is given to anybody, removed at the end. */
import { closeSync, rmdirSync, unlinkSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FifoError } from '../errors.js';
import { CLAIM } from '../names.js';
import type { Layout } from './layout.js';
import { makeFifo } from './mkfifo.js';
import type { Settings } from './options.js';
import { bothEnds, refuse, takeOver } from './takeover.js';

const ALONE = { dir: 0o700, pipe: 0o600 };
const WITH_GROUP = { dir: 0o750, pipe: 0o660 };

export class Directory {
  readonly path: string;
  /** Names that were made in it. */
  readonly #names: string[] = [];

  private constructor(path: string) {
    this.path = path;
  }

  /** Throws a `FifoError`; nothing is left then. */
  static async make(settings: Settings, layout: Layout): Promise<Directory> {
    const path = await makeFolder(settings.dir);
    const directory = new Directory(path);
    try {
      await directory.#fill(settings, layout);
      return directory;
    } catch (cause) {
      directory.remove();
      throw failure(path, cause);
    }
  }

  pipe(name: string): string {
    return join(this.path, name);
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
      rmdirSync(this.path);
    } catch {
      // gone, or somebody has put a file there
    }
  }

  /** What was put into it since it was empty is another manager's, or of somebody who could write to it. */
  async #claim(): Promise<void> {
    await symlink('.', this.pipe(CLAIM));
    this.#names.push(CLAIM);
    const names = await readdir(this.path);
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
    const made = await Promise.allSettled(fifos.map((name) => makeFifo(this.pipe(name), modes.pipe)));
    for (const one of made) if (one.status === 'rejected') throw one.reason;
    this.removePipe(CLAIM);
    if (group === null) return;
    const own = process.geteuid?.() ?? -1;
    for (const name of fifos) await chown(this.pipe(name), own, group);
    await chown(this.path, own, group);
    await chmod(this.path, modes.dir); // last: until now nobody else could come in
  }
}

async function makeFolder(wanted: string | null): Promise<string> {
  if (wanted === null) {
    const prefix = join(tmpdir(), 'sbx-fifo-');
    return mkdtemp(prefix).catch((cause) => {
      throw failure(`${prefix}…`, cause);
    });
  }
  const path = resolve(wanted);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw failure(path, cause);
    await takeOver(path);
  }
  return path;
}

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
