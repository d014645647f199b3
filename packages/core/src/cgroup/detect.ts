/** Where this process stands in the machine's cgroups: pure reading of two files of /proc. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A mounted hierarchy and our own folder in it. */
export interface Hierarchy {
  /** v1: the controllers it was mounted with. v2: none here, they differ from folder to folder. */
  controllers: string[];
  /** Where it is mounted. */
  point: string;
  /** Our folder: mount point and the part of our path below its root. */
  folder: string;
}

export interface CgroupMounts {
  v1: Hierarchy[];
  v2: Hierarchy | null;
}

interface MountLine {
  root: string;
  point: string;
  type: string;
  options: string[];
}

/** Reads /proc/self/mountinfo and /proc/self/cgroup. */
export function detectCgroups(
  mountinfo: string = readFileSync('/proc/self/mountinfo', 'utf8'),
  own: string = readFileSync('/proc/self/cgroup', 'utf8'),
): CgroupMounts {
  const mounts = mountinfo.split('\n').flatMap(parseMount);
  const paths = new Map(own.split('\n').flatMap(parseOwnPath));
  const v1 = mounts
    .filter((mount) => mount.type === 'cgroup')
    .map((mount) => {
      const controllers = mount.options.filter((option) => V1_CONTROLLERS.has(option));
      const folder = ownFolder(mount, paths.get(controllers[0] ?? '') ?? '/');
      return { controllers, point: mount.point, folder };
    })
    .filter(({ controllers }) => controllers.length > 0);
  const unified = mounts.find((mount) => mount.type === 'cgroup2');
  return { v1, v2: unified === undefined ? null : v2Hierarchy(unified, paths.get('') ?? '/') };
}

const V1_CONTROLLERS = new Set(['memory', 'pids', 'cpuacct', 'cpu', 'cpuset']);

function v2Hierarchy(mount: MountLine, path: string): Hierarchy {
  const folder = ownFolder(mount, path);
  return { controllers: [], point: mount.point, folder };
}

/** `36 35 98:0 /root /mount rw,noatime - cgroup cgroup rw,memory`, spaces in paths as \040. */
function parseMount(line: string): MountLine[] {
  const [before, after] = line.split(' - ');
  const fields = before?.split(' ') ?? [];
  const [type, , options] = after?.split(' ') ?? [];
  if (fields.length < 5 || type === undefined) return [];
  const decode = (text: string) =>
    text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
  return [{ root: decode(fields[3]!), point: decode(fields[4]!), type, options: options?.split(',') ?? [] }];
}

/** `4:memory:/path` gives memory; `0::/path` the empty name of v2; `1:cpu,cpuacct:/path` both. */
function parseOwnPath(line: string): [string, string][] {
  const match = /^\d+:([^:]*):(.*)$/.exec(line);
  if (match === null) return [];
  return match[1]!.split(',').map((name) => [name, match[2]!]);
}

/**
 * In a container the mount shows only a part of the tree; the path may be named from its top or from that
 * part.
 */
function ownFolder(mount: MountLine, path: string): string {
  const below = mount.root !== '/' && path.startsWith(mount.root) ? path.slice(mount.root.length) : path;
  const folder = join(mount.point, below);
  return existsSync(folder) ? folder : mount.point;
}

/** v2: the controllers that the folders below this one can have. */
export function controllersIn(folder: string): string[] {
  const file = join(folder, 'cgroup.controllers');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean) : [];
}
