/** Which cgroups there are and what we may do in them. */
import { dirname, join } from 'node:path';

/** Content of a file, `null` when it cannot be read. Replaced in tests. */
export type Read = (path: string) => string | null;

export interface CgroupFacts {
  version: 'v1' | 'v2' | 'hybrid' | 'none';
  /** v2: usable in our own group; v1: mounted. */
  controllers: string[];
  /** Folders of our own groups, and those of them in which we may not make groups. */
  folders: string[];
  unwritable: string[];
  /** Swap can be bounded; `null`: no memory controller to ask. */
  hasSwapLimit: boolean | null;
  /** What the tightest of our own group and those around it may hold in all; `null`: no bound shows. */
  tasksMax: number | null;
}

const WANTED = ['cpu', 'cpuacct', 'cpuset', 'memory', 'pids'];

interface Mount {
  root: string;
  point: string;
  type: string;
  options: string[];
  isReadOnly: boolean;
}

export function cgroupFacts(read: Read, isWritable: (path: string) => boolean): CgroupFacts {
  const mounts = (read('/proc/self/mountinfo') ?? '').split('\n').flatMap(parseMount);
  const own = new Map((read('/proc/self/cgroup') ?? '').split('\n').flatMap(parseOwn));
  const v1 = mounts.filter((mount) => mount.type === 'cgroup' && controllersOf(mount).length > 0);
  const v2 = mounts.find((mount) => mount.type === 'cgroup2');
  const v2Folder = v2 === undefined ? null : ownFolder(v2, own.get('') ?? '/');
  const v2Controllers = words(v2Folder === null ? null : read(join(v2Folder, 'cgroup.controllers')));
  const isV2 = v1.length === 0 && v2Folder !== null;
  const used = isV2 ? [v2!] : v1;
  const folderOf = (mount: Mount) => ownFolder(mount, own.get(isV2 ? '' : controllersOf(mount)[0]!) ?? '/');
  const folders = used.map(folderOf);
  const unwritable = folders.filter((folder, index) => used[index]!.isReadOnly || !isWritable(folder));
  const controllers = isV2 ? v2Controllers : [...new Set(v1.flatMap(controllersOf))].sort();
  const tasks = isV2 ? v2 : v1.find((mount) => controllersOf(mount).includes('pids'));
  const version = isV2 ? 'v2' : v1.length === 0 ? 'none' : v2Folder === null ? 'v1' : 'hybrid';
  return {
    version,
    controllers,
    folders,
    unwritable,
    hasSwapLimit: swapLimit(read, { isV2, controllers, v2Folder, v1 }),
    tasksMax: tasks === undefined ? null : tasksMax(read, folderOf(tasks), tasks.point),
  };
}

interface Hierarchies {
  isV2: boolean;
  controllers: readonly string[];
  v2Folder: string | null;
  v1: readonly Mount[];
}

function swapLimit(read: Read, { isV2, controllers, v2Folder, v1 }: Hierarchies): boolean | null {
  if (!controllers.includes('memory')) return null;
  // The root group of v2 has no limits of its own, so a missing file says nothing there.
  if (isV2) return read(join(v2Folder!, 'memory.swap.max')) !== null ? true : null;
  const memory = v1.find((mount) => controllersOf(mount).includes('memory'))!;
  return read(join(memory.point, 'memory.memsw.limit_in_bytes')) !== null;
}

/** A bound of any group up to the root that is mounted here holds for ours, too. */
function tasksMax(read: Read, folder: string, root: string): number | null {
  const own = Number.parseInt(read(join(folder, 'pids.max')) ?? '', 10); // NaN where it says `max`
  const around = folder.length > root.length ? tasksMax(read, dirname(folder), root) : null;
  return Number.isNaN(own) ? around : Math.min(own, around ?? own);
}

function controllersOf(mount: Mount): string[] {
  return mount.options.filter((option) => WANTED.includes(option));
}

/** In a container the mount may show only a part of the tree. */
function ownFolder(mount: Mount, path: string): string {
  const below = mount.root !== '/' && path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
  return join(mount.point, below);
}

/** `36 35 98:0 /root /point rw,noatime shared:1 - cgroup cgroup rw,memory` */
function parseMount(line: string): Mount[] {
  const [before, after] = line.split(' - ');
  const fields = before?.split(' ') ?? [];
  const [type = '', , superOptions = ''] = after?.split(' ') ?? [];
  if (fields.length < 6 || !type.startsWith('cgroup')) return [];
  const options = superOptions.split(',');
  const isReadOnly = fields[5]!.split(',').includes('ro') || options.includes('ro');
  return [{ root: fields[3]!, point: fields[4]!, type, options, isReadOnly }];
}

/** `4:cpu,cpuacct:/path`; the empty name is v2. */
function parseOwn(line: string): [string, string][] {
  const match = /^\d+:([^:]*):(.*)$/.exec(line);
  return match === null ? [] : match[1]!.split(',').map((name) => [name, match[2]!]);
}

function words(text: string | null): string[] {
  return text === null ? [] : text.trim().split(/\s+/).filter(Boolean);
}
