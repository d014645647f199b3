/**
 * One cgroup of ours: a folder in each hierarchy that is used, and the open files of it. A v2 group has a
 * folder `main` inside, where processes live, since a folder that passes controllers on may not hold any.
 */
import { closeSync, constants, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { chown, mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type CounterFds, hostError, loadNative, type Native } from '../native/native.js';
import { COUNTERS, type CounterName } from '../native/tables.js';
import type { Layout } from './layout.js';
import { removeFolder } from './removal.js';

/** Folders of a group by controller; with v2 the same one for all, with v1 co-mounted controllers share. */
export type Folders = ReadonlyMap<string, string>;

const MAIN = 'main';

let membersMade = 0;

export class Group {
  readonly folders: Folders;
  readonly layout: Layout;
  readonly fds: CounterFds;
  /** cgroup.procs files: whoever writes `0` is in the group. */
  readonly joins: number[] = [];
  /** v2: the folder a process can be born in. */
  readonly folderFd: number;
  /** The counter of CPU time, which is read before each start; -1 where there is none. */
  cpuFd: number;
  readonly #byName = new Map<CounterName, number>();
  #procsPath = '';
  readonly #native: Native;
  /** v1: an eventfd of the addon's, the one descriptor here that is not of a file. */
  #notice = -1;
  #isClosed = false;

  private constructor(layout: Layout, folders: Folders, member: boolean) {
    this.#native = loadNative().native;
    this.layout = layout;
    this.folders = folders;
    const nested = layout.version === 'v2' && !member;
    const unique = new Set(folders.values());
    try {
      for (const folder of unique) {
        const procs = nested ? join(folder, MAIN) : folder;
        this.joins.push(openSync(join(procs, 'cgroup.procs'), constants.O_WRONLY));
      }
      for (const name of COUNTERS) this.#openCounter(name, nested);
      this.folderFd = nested ? openSync(join(folders.get('memory')!, MAIN), constants.O_RDONLY) : -1;
      if (layout.version === 'v1') this.#registerOomNotice();
    } catch (error) {
      this.closeFiles();
      throw error;
    }
    this.cpuFd = this.#byName.get('cpu') ?? -1;
    this.fds = this.#collect();
  }

  /**
   * Makes the folders. `member`: a group inside a sandbox's, for one program. `initUid`: with v2 the user of
   * the keeper, who has inits born in it, and who alone may therefore write there; 0 where that is the user
   * who makes it.
   */
  static async make(layout: Layout, folders: Folders, member = false, initUid = 0): Promise<Group> {
    const unique = [...new Set(folders.values())];
    try {
      for (const folder of unique) await mkdir(folder);
      if (layout.version === 'v2' && !member) {
        const folder = unique[0]!;
        const enable = layout.controllers.map((name) => `+${name}`).join(' ');
        writeFileSync(join(folder, 'cgroup.subtree_control'), enable);
        await mkdir(join(folder, MAIN));
        if (initUid > 0) await chown(join(folder, MAIN, 'cgroup.procs'), initUid, initUid);
      }
      return new Group(layout, folders, member);
    } catch (error) {
      await removeFolders(unique);
      throw error;
    }
  }

  /**
   * The group of one program inside this one. No name is used twice: the last one may still be on its way
   * out.
   */
  async makeMember(): Promise<Group> {
    const name = `p${membersMade++}`;
    const folders = new Map(
      this.layout.controllers.map((controller) => [controller, join(this.folders.get(controller)!, name)]),
    );
    return Group.make(this.layout, folders, true);
  }

  /** Name of its folders. */
  get name(): string {
    return basename([...this.folders.values()][0]!);
  }

  /** Text of a counter file, or `null`. */
  read(name: CounterName): string | null {
    const fd = this.#byName.get(name);
    const text = fd === undefined ? -1 : this.#native.readCounterFile(fd);
    return typeof text === 'string' ? text : null;
  }

  /**
   * Its processes; none when it is gone. The file is opened anew: v1 goes on giving a list that was read
   * within the last second.
   */
  pids(): number[] {
    try {
      return (readFileSync(this.#procsPath, 'latin1').match(/\d+/g) ?? []).map(Number);
    } catch {
      return [];
    }
  }

  /** Writes the counter file with this number; its absence has been reported when the engine opened. */
  set(counter: number, text: string): void {
    const fd = this.#byName.get(COUNTERS[counter]!);
    if (fd !== undefined) writeSync(fd, text, 0);
  }

  has(name: CounterName): boolean {
    return this.#byName.has(name);
  }

  /** Whether writing to the high-water mark starts it again (v1; v2 since Linux 6.12). */
  resetsPeak(): boolean {
    const fd = this.#byName.get('memoryPeak');
    if (fd === undefined) return false;
    try {
      writeSync(fd, '0', 0);
      return true;
    } catch {
      return false; // read-only mark of an older kernel: the answer itself
    }
  }

  /** Writes a file of the folder that belongs to `controller`. */
  write(controller: string, file: string, text: string): void {
    writeFileSync(join(this.folders.get(controller)!, file), text);
  }

  /** Does nothing the second time: their numbers may be others' by then. */
  closeFiles(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#notice >= 0) this.#native.closeFds([this.#notice]);
    this.#notice = -1;
    for (const [name, fd] of this.#byName)
      if (!(name === 'oomNotice' && this.layout.version === 'v1')) closeSync(fd);
    for (const fd of this.joins) closeSync(fd);
    if (this.folderFd >= 0) closeSync(this.folderFd);
    this.cpuFd = -1;
    this.#byName.clear();
    this.joins.length = 0;
  }

  /**
   * Has the kernel take back what it can of what is charged to the group: caches, once its programs are dead.
   */
  async empty(): Promise<void> {
    const { file, text } = this.layout.reclaim;
    // May fail: a kernel without the file, or nothing could be taken back. The group goes all the same.
    await writeFile(join(this.folders.get('memory')!, file), text).catch(() => undefined);
  }

  /** Closes and removes all but the folder that memory is charged to. */
  async keepMemoryOnly(): Promise<void> {
    this.closeFiles();
    const kept = this.folders.get('memory');
    await removeFolders([...new Set(this.folders.values())].filter((folder) => folder !== kept));
  }

  /**
   * Closes and removes; waits up to a second for the kernel to see the last process gone. True when nothing
   * is left.
   */
  async remove(): Promise<boolean> {
    this.closeFiles();
    return removeFolders([...new Set(this.folders.values())]);
  }

  #openCounter(name: CounterName, nested: boolean): void {
    const counter = this.layout.counters[name];
    const folder = counter && (this.folders.get(counter.controller) ?? this.folders.get('memory'));
    if (counter === undefined || folder === undefined) return;
    const path = join(counter.ofProcesses && nested ? join(folder, MAIN) : folder, counter.file);
    if (name === 'procs') this.#procsPath = path;
    const open = (flags: number) => this.#byName.set(name, openSync(path, flags));
    try {
      open(counter.write ? constants.O_RDWR : constants.O_RDONLY);
    } catch (error) {
      // Absent in some kernels and set-ups (swap accounting, pids.peak), or read-only in older ones
      // (memory.peak): the probe at the engine's start has said which guarantees that costs.
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EACCES' && counter.write) open(constants.O_RDONLY);
      else if (code !== 'ENOENT') throw error;
    }
  }

  /** v1 tells of "out of memory" through an eventfd. */
  #registerOomNotice(): void {
    const control = this.#byName.get('memoryEvents');
    if (control === undefined) return;
    this.#notice = this.#native.eventFd();
    if (this.#notice < 0) throw hostError('make an event', this.#notice);
    this.#byName.set('oomNotice', this.#notice);
    this.write('memory', 'cgroup.event_control', `${this.#notice} ${control}`);
  }

  #collect(): CounterFds {
    let counterMask = 0;
    const counters: number[] = [];
    for (const [bit, name] of COUNTERS.entries()) {
      const fd = this.#byName.get(name);
      if (fd === undefined) continue;
      counterMask |= 1 << bit;
      counters.push(fd);
    }
    return { counterMask, counters, oomEventfd: this.layout.version === 'v1' };
  }
}

async function removeFolders(folders: readonly string[]): Promise<boolean> {
  let gone = true;
  for (const folder of folders) gone = (await removeFolder(folder)) && gone;
  return gone;
}
