/**
 * Entries of an archive as files of a work folder in which no program runs yet. Each name is resolved beneath
 * the folder's descriptor without following a link, also of the archive's own making. Everything belongs to
 * the sandbox's user.
 */
import { constants, fchmodSync, lstatSync, unlinkSync, writeSync } from 'node:fs';
import { FileAccessError } from '../errors.js';
import { EEXIST, EINVAL } from '../native/errno.js';
import { quote } from '../options/describe.js';
import { checkWorkPath, PATH_BYTES_MAX } from '../options/paths.js';
import { timeOf } from './archive-time.js';
import { refuseWorkspace } from './refusals.js';
import type { TarEntry } from './tar-reader.js';
import type { WorkFolder } from './trees.js';
import { Turns } from './turns.js';

/** Set-user-id bits say nothing in a sandbox. */
const FILE_MODE_MASK = 0o777;
const FOLDER_MODE_MASK = 0o1777;

const NEW_FILE =
  constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW | constants.O_NONBLOCK;
const A_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;

/** Permissions and time of what is made. */
interface Finish {
  mode: number;
  time: ReturnType<typeof timeOf>;
}

export class ArchiveWriter {
  readonly #folder: WorkFolder;
  /** That exist, so that they are asked for once. */
  readonly #made = new Set<string>(['']);
  /** Set at the end: before, files are put into them. No more is kept, as there can be many. */
  readonly #folders = new Map<string, Finish>();

  constructor(folder: WorkFolder) {
    this.#folder = folder;
  }

  /** A regular file and its content. */
  async file(header: TarEntry, content: AsyncIterable<Uint8Array>): Promise<void> {
    const path = pathOf(header.name);
    if (path === '') throw refuseWorkspace('must name its files', quote(header.name));
    const { native, owner } = this.#folder;
    const file = this.#anew(path, (dir, name) =>
      native.openBeneath({ dir, path: name, flags: NEW_FILE, mode: 0o600, owner }),
    );
    try {
      for await (const chunk of content) {
        this.#folder.checkOpen();
        for (let at = 0; at < chunk.byteLength; ) at += writeSync(file, chunk, at);
      }
      this.#finish(file, finishOf(header, FILE_MODE_MASK));
    } catch (error) {
      throw (error as NodeJS.ErrnoException).syscall === undefined ? error : failure(path, error);
    } finally {
      native.closeFds([file]);
    }
  }

  /** A folder or a link. Throws for every other kind. */
  other(header: TarEntry): void {
    switch (header.type) {
      case 'directory':
        return this.#addFolder(header);
      case 'symlink':
        return this.#addSymlink(header);
      case 'link':
        return this.#addHardLink(header);
      default:
        throw refuseWorkspace(
          'must have files, folders and links alone',
          `${header.type}: ${quote(header.name)}`,
        );
    }
  }

  /** To be called after the last entry. */
  async finish(): Promise<void> {
    const { native } = this.#folder;
    const turns = new Turns();
    // A folder that its owner cannot enter comes after those in it.
    const paths = [...this.#folders.keys()].sort((a, b) => b.length - a.length);
    for (const path of paths) {
      if (turns.isOver) await turns.next();
      this.#folder.checkOpen();
      const opened = native.openBeneath({ dir: this.#root, path, flags: A_FOLDER });
      if (opened < 0) throw new FileAccessError({ operation: 'workspace', path, errno: -opened });
      try {
        this.#finish(opened, this.#folders.get(path)!);
      } finally {
        native.closeFds([opened]);
      }
    }
  }

  get #root(): number {
    return this.#folder.trees[0]!.fd;
  }

  #addFolder(header: TarEntry): void {
    const path = pathOf(header.name);
    if (path === '') return;
    this.#folder.native.closeFds([this.#openMade(path, path)]);
    this.#folders.set(path, finishOf(header, FOLDER_MODE_MASK));
  }

  #addSymlink(header: TarEntry): void {
    const { name, linkname } = header;
    const path = pathOf(name);
    const to = linkname;
    const isLegal = to !== '' && !to.includes('\0') && Buffer.byteLength(to) <= PATH_BYTES_MAX;
    if (!isLegal || path === '') throw refuseWorkspace('must have links that say a path', quote(name));
    const { native, owner } = this.#folder;
    this.#anew(path, (dir, last) => {
      const made = native.makeSymlink({ dir, name: last, to, owner });
      const time = timeOf(header);
      return made < 0 || time === null ? made : native.setTimes({ fd: dir, name: last, ...time });
    });
  }

  /** A second name for a file that has come before. */
  #addHardLink({ name, linkname }: TarEntry): void {
    const path = pathOf(name);
    const target = pathOf(linkname);
    if (path === '' || target === '') throw refuseWorkspace('must have links that name a file', quote(name));
    const { native, owner } = this.#folder;
    this.#inParent(target, (fromDir, from) => {
      const isFile = errnoOf(() => {
        if (!lstatSync(`/proc/self/fd/${fromDir}/${from}`).isFile())
          throw Object.assign(new Error(), { errno: EINVAL });
      });
      if (isFile < 0) return isFile;
      this.#anew(path, (toDir, to) => native.linkIn({ fromDir, from, toDir, to, owner }));
      return 0;
    });
  }

  /**
   * Makes something by its name in its folder; the later of two entries counts. A descriptor or 0; throws for
   * an error number.
   */
  #anew(path: string, make: (dir: number, name: string) => number): number {
    return this.#inParent(path, (dir, name) => {
      const made = make(dir, name);
      if (made !== EEXIST) return made;
      const removed = errnoOf(() => unlinkSync(`/proc/self/fd/${dir}/${name}`));
      return removed < 0 ? removed : make(dir, name);
    });
  }

  #inParent(path: string, work: (dir: number, name: string) => number): number {
    const { native } = this.#folder;
    const dir = this.#openMade(parentOf(path), path);
    try {
      const done = work(dir, path.slice(path.lastIndexOf('/') + 1));
      if (done < 0) throw new FileAccessError({ operation: 'workspace', path, errno: -done });
      return done;
    } finally {
      native.closeFds([dir]);
    }
  }

  /**
   * A folder, made with all that lead to it, opened. One goes down from the last that is known to exist, a
   * step at a time: to walk from the top for each would take seconds where names lie as deep as they can.
   */
  #openMade(folder: string, path: string): number {
    let known = folder;
    while (!this.#made.has(known)) known = parentOf(known);
    const { native } = this.#folder;
    const open = (dir: number, name: string) => {
      const opened = native.openBeneath({ dir, path: name, flags: A_FOLDER });
      if (opened < 0) throw new FileAccessError({ operation: 'workspace', path, errno: -opened });
      return opened;
    };
    let dir = open(this.#root, known || '.');
    while (known !== folder) {
      const end = folder.indexOf('/', known.length + 1);
      const next = end < 0 ? folder : folder.slice(0, end);
      const above = dir;
      try {
        const name = known === '' ? next : next.slice(known.length + 1);
        this.#makeFolder(above, name, path);
        dir = open(above, name);
      } finally {
        native.closeFds([above]);
      }
      known = next;
      this.#made.add(known);
    }
    return dir;
  }

  #makeFolder(dir: number, name: string, path: string): void {
    const { native, owner, folderMode: mode } = this.#folder;
    const made = native.makeFolder({ dir, name, mode, owner });
    if (made < 0 && made !== EEXIST)
      throw new FileAccessError({ operation: 'workspace', path, errno: -made });
  }

  /** Throws as the calls of `node:fs` do. */
  #finish(fd: number, { mode, time }: Finish): void {
    fchmodSync(fd, mode);
    const set = time === null ? 0 : this.#folder.native.setTimes({ fd, name: '', ...time });
    if (set < 0) throw Object.assign(new Error(), { errno: set, syscall: 'utimensat' });
  }
}

function finishOf(header: TarEntry, mask: number): Finish {
  return { mode: header.mode & mask, time: timeOf(header) };
}

/** `''` of a name in the work folder itself. */
function parentOf(path: string): string {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** In one spelling, relative to the work folder; `''` is that itself. */
function pathOf(name: string): string {
  if (name.startsWith('/')) throw refuseWorkspace('must have relative names alone', quote(name));
  const path = checkWorkPath(name, { root: true, field: 'options.workspace' });
  return path === '.' ? '' : path;
}

/** 0, or the negative error number of a system call. */
function errnoOf(work: () => void): number {
  try {
    work();
    return 0;
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException;
    if (errno === undefined) throw error;
    return errno;
  }
}

function failure(path: string, error: unknown): FileAccessError {
  const { errno = 0 } = error as NodeJS.ErrnoException;
  return new FileAccessError({ operation: 'workspace', path, errno: -errno });
}
