/** The directory of one process: made whole before its path is given to anybody, removed at the end. */
import { closeSync, constants, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { chmod, chown, lstat, mkdir, mkdtemp, readdir, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { FifoError } from '../errors.js';
import type { Layout } from './layout.js';
import { makeFifo } from './mkfifo.js';
import type { Settings } from './options.js';

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

  /** Later openers get "no such file" instead of waiting for ever. Those who have it open are not disturbed. */
  removePipe(name: string): void {
    try {
      unlinkSync(this.pipe(name));
    } catch {
      // somebody was faster
    }
  }

  /** What we made, and the folder when nothing else is in it. Who waits for the other end of a pipe is let go: nobody will come. */
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

  async #fill({ group, pipes }: Settings, layout: Layout): Promise<void> {
    const modes = group === null ? ALONE : WITH_GROUP;
    const streams = pipes ? [layout.downward, layout.upward] : [];
    const fifos = [layout.wait, ...layout.replies, ...streams];
    this.#names.push(...fifos, ...Object.keys(layout.aliases));
    await Promise.all(fifos.map((name) => makeFifo(this.pipe(name), modes.pipe)));
    for (const [link, target] of Object.entries(layout.aliases)) await symlink(target, this.pipe(link));
    if (group === null) return;
    const own = process.geteuid?.() ?? -1;
    for (const name of fifos) await chown(this.pipe(name), own, group);
    await chown(this.path, own, group);
    await chmod(this.path, modes.dir); // last: until now nobody else could come in
  }
}

/** A descriptor that ends the waiting of everybody who opens the pipe; none where it is no pipe, or gone. */
function bothEnds(path: string): number[] {
  try {
    return [openSync(path, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOFOLLOW)];
  } catch {
    return [];
  }
}

async function makeFolder(wanted: string | null): Promise<string> {
  if (wanted === null) return mkdtemp(join(tmpdir(), 'sbx-fifo-'));
  const path = resolve(wanted);
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw failure(path, cause);
    await takeOver(path);
  }
  return path;
}

/** An empty folder of our own, as `mktemp -d` makes it. */
async function takeOver(path: string): Promise<void> {
  const stats = await lstat(path);
  const isOurs = stats.isDirectory() && stats.uid === process.geteuid?.();
  if (!isOurs || (await readdir(path)).length > 0) {
    const message = `${path} is there already and is not an empty directory of this user.`;
    throw new FifoError({ code: 'SBX_FIFO_DIRECTORY', message, details: { path } });
  }
  await chmod(path, ALONE.dir);
}

function failure(path: string, cause: unknown): FifoError {
  if (cause instanceof FifoError) return cause;
  const why =
    (cause as NodeJS.ErrnoException).code === 'ENOENT' ? 'a part of its path is missing' : String(cause);
  const message = `The directory ${path} with its pipes cannot be made: ${why}.`;
  return new FifoError({ code: 'SBX_FIFO_DIRECTORY', message, details: { path }, cause });
}
