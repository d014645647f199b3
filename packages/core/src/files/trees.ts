/**
 * The file systems of a sandbox that are its own (work folder, /tmp, /dev/shm, `tmpfs` rows), by descriptor,
 * and how a path inside is found in them. Nothing else of the root that programs see is ever opened here: not
 * /proc, no device, no bind.
 *
 * The kernel resolves paths beneath one tree and refuses every link. Where there was one on the way, it is
 * followed here, by name, from tree to tree as the program would see it; then the kernel resolves the path
 * without links that came of it. What a living program changes meanwhile can only make that fail.
 */
import { constants } from 'node:fs';
import { FileAccessError } from '../errors.js';
import { EINVAL, EISDIR, ELOOP, EXDEV } from '../native/errno.js';
import type { Native } from '../native/native.js';
import { checkWorkPath } from '../options/paths.js';

/** A file system of the sandbox's own. */
export interface Tree {
  /** Where it is mounted inside: absolute, no trailing slash. */
  target: string;
  fd: number;
}

/** The writable trees of one sandbox. `owner`: host id that new files belong to, -1 for our own. */
export interface WorkFolder {
  native: Native;
  /** The work folder comes first. */
  trees: readonly Tree[];
  owner: number;
  /** Of folders that are made on the way to a file. */
  folderMode: number;
  /** Throws once the descriptors are closed: they may be another's by then. To be asked after every wait. */
  checkOpen: () => void;
  /** Aborted, with what `checkOpen` throws, when it closes: for waits that nothing else may ever end. */
  closing: () => AbortSignal;
  /** Programs live in it, so that a call may have to wait for what they hold: `beside-programs.ts`. */
  isLiving: () => boolean;
  /** The last one of those, which the next has to wait for. */
  lastCall: Promise<unknown> | null;
}

/** As the kernel's own. */
const LINKS_MAX = 40;
/**
 * Of one path: each name that is looked at costs the way to it, which is walked anew. Links through folders
 * that lie as deep as a path can name them would keep this process for a minute.
 */
const LOOKS_COST_MAX = 2 ** 14;
const LOOK_COST = 4;

/** Where a path is: what the kernel resolves beneath a descriptor. `'.'` is the tree itself. */
interface Spot {
  dir: number;
  path: string;
}

/**
 * Does something at a place inside. Links on the way are followed, one at the end is `work`'s affair; it is
 * told whether programs live, beside which what exists is to be found without waiting (`known`). Returns
 * a negative error number also when the path is in no tree (EXDEV), or, without `root`, is one (EISDIR).
 */
export function inTree<T>(
  folder: WorkFolder,
  path: string,
  work: (dir: number, path: string, known: boolean) => T | number,
  root = false,
): T | number {
  const steps = stepsInTree<T>(folder, path, root);
  for (let answer: Answer<T> = 0; ; ) {
    const { done, value } = steps.next(answer);
    if (done) return value;
    const { dir, path: below, isLink } = value;
    const known = folder.isLiving();
    answer = isLink ? folder.native.readLinkBeneath({ dir, path: below, known }) : work(dir, below, known);
  }
}

/** What is to be done next on the way to a place: to read the link there, or the caller's work. */
interface Step extends Spot {
  isLink: boolean;
}

/** All of one hidden class, which copies by `...` are not. */
const stepTo = ({ dir, path }: Spot, isLink: boolean): Step => ({ dir, path, isLink });

/** What came of a step; of the first nothing is asked. */
export type Answer<T> = T | string | number;

/** The steps of `inTree`, whoever takes them. */
export function* stepsInTree<T>(
  folder: WorkFolder,
  path: string,
  root: boolean,
): Generator<Step, T | number, Answer<T>> {
  const normal = checkWorkPath(path, { folder: true, root });
  const spot = find(folder.trees, normal);
  if (spot?.path === '.' && !root) return EISDIR;
  const done = spot === null ? EXDEV : ((yield stepTo(spot, false)) as T | number);
  if (done !== ELOOP && done !== EXDEV) return done;
  const other = yield* followLinks(folder.trees, absolute(folder, normal));
  if (typeof other === 'number') return other;
  if (other.dir === spot?.dir && other.path === spot.path) return done;
  return other.path === '.' && !root ? EISDIR : ((yield stepTo(other, false)) as T | number);
}

/**
 * The number of the tree that a path is in, and where in it, by name alone. `null`: it is in none, or is one.
 */
export function placeInTrees(folder: WorkFolder, path: string): [tree: number, below: string] | null {
  const { trees } = folder;
  const spot = find(trees, absolute(folder, checkWorkPath(path, { folder: true })));
  if (spot === null || spot.path === '.') return null;
  return [trees.findIndex(({ fd }) => fd === spot.dir), spot.path];
}

/** Whether one of two paths leads to the other, by name alone. */
export function meets(folder: WorkFolder, one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => absolute(folder, checkWorkPath(path, { folder: true })));
  return isWithin(a!, b!) || isWithin(b!, a!);
}

/** The folder that the last name of a path is in, opened, and that name. Throws `FileAccessError`. */
export function openParent(folder: WorkFolder, operation: string, path: string): [fd: number, name: string] {
  const { native } = folder;
  const flags = O_PATH | constants.O_DIRECTORY;
  const opened = inTree(folder, path, (dir, below) => {
    const slash = below.lastIndexOf('/');
    return native.openBeneath({ dir, path: slash < 0 ? '.' : below.slice(0, slash), flags });
  });
  if (opened < 0) throw new FileAccessError({ operation, path, errno: -opened });
  return [opened, checkWorkPath(path, { folder: true }).split('/').at(-1)!];
}

/** Not in `node:fs`: a descriptor that only names a file. */
export const O_PATH = 0o10000000;

/**
 * Does something with the last name of a path, in the folder that it is in. Throws `FileAccessError` when
 * there is no such folder.
 */
export function inParent(
  folder: WorkFolder,
  operation: string,
  path: string,
  work: (dir: number, name: string) => number,
): number {
  const [parent, name] = openParent(folder, operation, path);
  try {
    return work(parent, name);
  } finally {
    folder.native.closeFds([parent]);
  }
}

/** The folders that lead to a path, from the first that is in a tree. */
export function parentsInTree({ trees }: WorkFolder, path: string): string[] {
  const parts = checkWorkPath(path, { folder: true }).split('/');
  const parents = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('/'));
  return parents.filter((parent) => parent !== '' && (find(trees, parent)?.path ?? '.') !== '.');
}

function absolute({ trees }: WorkFolder, path: string): string {
  return path.startsWith('/') ? path : `${trees[0]!.target}/${path}`;
}

/** By name alone. The longest target that fits; without links nothing else is that place. */
function find(trees: readonly Tree[], path: string): Spot | null {
  // Nearly all paths are relative and no tree stands below the work folder; where one does, the kernel says
  // EXDEV.
  if (!path.startsWith('/')) return { dir: trees[0]!.fd, path };
  let best: Tree | null = null;
  for (const tree of trees)
    if (isWithin(path, tree.target) && tree.target.length > (best?.target.length ?? -1)) best = tree;
  return best === null ? null : { dir: best.fd, path: path.slice(best.target.length + 1) || '.' };
}

function isWithin(path: string, target: string): boolean {
  return path.startsWith(target) && (path.length === target.length || path[target.length] === '/');
}

/** The same place by a path whose folders are no links. */
function* followLinks(trees: readonly Tree[], path: string): Generator<Step, Spot | number, Answer<unknown>> {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const left = namesBackwards(path.slice(0, path.length - name.length));
  let at: string[] = [];
  for (let links = 0, cost = 0; left.length > 0; ) {
    const part = left.pop()!;
    if (part === '..') {
      at.pop();
      continue;
    }
    cost += LOOK_COST + at.length;
    if (cost > LOOKS_COST_MAX) return ELOOP;
    at.push(part);
    const said = yield* linkAt(trees, `/${at.join('/')}`);
    if (typeof said === 'number' && said < 0) return said;
    if (typeof said === 'number') continue;
    if (++links > LINKS_MAX) return ELOOP;
    at.pop();
    if (said.startsWith('/')) at = [];
    for (const next of namesBackwards(said)) left.push(next);
  }
  return find(trees, `/${[...at, name].join('/')}`) ?? EXDEV;
}

/** The last one first. A link of a program's may be 4,095 slashes. */
function namesBackwards(path: string): string[] {
  return path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .reverse();
}

/** The target of a link; 0 when there is none, and for folders that only lead to a tree. */
function* linkAt(trees: readonly Tree[], path: string): Generator<Step, string | number, Answer<unknown>> {
  if (trees.some(({ target }) => isWithin(target, path))) return 0;
  const spot = find(trees, path);
  if (spot === null) return EXDEV;
  const said = (yield stepTo(spot, true)) as string | number;
  // Of an empty link nothing can come.
  return said === '' ? EINVAL : said;
}
