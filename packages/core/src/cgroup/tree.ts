/**
 * The engine's place in the cgroups: one folder per hierarchy, named so that a later process can tell whether
 * its owner is still alive. Groups of sandboxes are made below it.
 */
import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OWNER_TAG, ownerTag, removeAbandoned } from '../owner.js';
import { type CgroupMounts, controllersIn, detectCgroups, type Hierarchy } from './detect.js';
import { FormerGroups } from './former-groups.js';
import { type Folders, Group } from './group.js';
import { type Layout, V1, V2 } from './layout.js';
import { removeFolder, removeTree } from './removal.js';

/** Why a cgroup cannot be used, for `engine.info()` and errors. */
export interface CgroupReport {
  version: 'v1' | 'v2' | 'hybrid' | 'none';
  path: string | null;
  controllers: string[];
  reason: string | null;
}

/** Folder that our own processes move to where v2 wants their place empty. */
const HOST_LEAF = 'sbx-host';
/** Folder of the keepers below the engine's. */
const KEEPERS = 'keepers';
/** Of an engine, with its owner's tag. */
const NAME = new RegExp(`^sbx-${OWNER_TAG}-`);

let enginesOpened = 0;

export class CgroupTree {
  readonly layout: Layout;
  readonly report: CgroupReport;
  /** Name of our folder in each parent. */
  readonly name: string;
  /** Open parents, for the zygote: it removes what a killed host leaves. */
  readonly parentFds: number[] = [];
  /**
   * v2: cgroup.procs of the leaf that keepers live in; an init is born in a group only when both lie below
   * the engine's.
   */
  readonly keeperJoins: number[] = [];
  readonly #formerGroups = new FormerGroups();
  readonly #parents: Folders;
  readonly #folders: Folders;
  #nextGroup = 1;
  /** Whether a group's memory mark can be started again; else every sandbox needs a fresh group. */
  resetsPeak = false;

  private constructor(layout: Layout, report: CgroupReport, name: string, parents: Folders) {
    this.layout = layout;
    this.report = report;
    this.name = name;
    this.#parents = parents;
    this.#folders = new Map([...parents].map(([controller, parent]) => [controller, join(parent, name)]));
  }

  /** `where`: as `EngineOptions.cgroup`. Resolves to a report alone when cgroups cannot be used. */
  static async open(where: string): Promise<CgroupTree | CgroupReport> {
    if (where === 'none') return none('switched off by the option `cgroup: "none"`');
    const mounts = detectCgroups();
    const reasons: string[] = [];
    for (const plan of [planV1(mounts, where), planV2(mounts, where)]) {
      if (typeof plan === 'string') reasons.push(plan);
      else {
        const opened = await CgroupTree.#tryOpen(plan).catch((error: Error) => error);
        if (opened instanceof CgroupTree) return opened;
        reasons.push(`${plan.report.version}: ${opened.message}`);
      }
    }
    return none(reasons.join('; '));
  }

  static async #tryOpen(plan: Plan): Promise<CgroupTree> {
    const name = ownName();
    const tree = new CgroupTree(plan.layout, plan.report, name, plan.parents);
    // Of a host and its zygote killed at once, or of a container whose power was cut.
    for (const parent of new Set(plan.parents.values())) await removeAbandoned(parent, NAME, removeTree);
    if (plan.layout === V2) passControllersOn(plan.parents.get('memory')!, plan.report.controllers);
    try {
      for (const folder of new Set(tree.#folders.values())) await mkdir(folder);
      if (plan.layout === V2) enable(tree.#folders.get('memory')!, plan.report.controllers);
      for (const parent of new Set(plan.parents.values())) {
        tree.parentFds.push(openSync(parent, constants.O_RDONLY | constants.O_DIRECTORY));
      }
      if (plan.layout === V2) await tree.#makeKeeperLeaf();
      // The proof: a group that can be made, filled with limits, and removed.
      const sample = await tree.makeGroup();
      tree.resetsPeak = sample.resetsPeak();
      await sample.remove();
      return tree;
    } catch (error) {
      await tree.close();
      throw error;
    }
  }

  /** A fresh group for one slot, whose keeper and inits are this user of the host; 0: ours. */
  makeGroup(initUid = 0): Promise<Group> {
    const name = `s${this.#nextGroup++}`;
    const optional = this.layout.optional.filter((controller) => this.hasController(controller));
    const folders = this.#below(name, [...this.layout.controllers, ...optional]);
    return Group.make(this.layout, folders, false, initUid);
  }

  /** Takes a slot's group that it will not use again; resolves when nothing more need be waited for. */
  retire(group: Group): Promise<void> {
    return this.#formerGroups.retire(group);
  }

  /** v1 only: a group of `cpuset`, which is joined only by programs that ask for it. */
  async makeCpuSet(): Promise<Group> {
    const group = await Group.make(this.layout, this.#below(`x${this.#nextGroup++}`, ['cpuset']), true);
    // Empty in a new v1 group, and nothing can join before they are filled.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      const text = readFileSync(join(this.#parents.get('cpuset')!, file), 'utf8').trim();
      writeFileSync(join(this.#folders.get('cpuset')!, file), text);
      group.write('cpuset', file, text);
    }
    return group;
  }

  /**
   * CPUs of programs without a CPU set, as the kernel writes them, where there is the controller. With v2 a
   * group is given these: an empty set, which says the same, the kernel refuses where a process lives in it.
   */
  allCpus(): string {
    return readFileSync(join(this.#parents.get('cpuset')!, this.layout.effectiveCpus), 'utf8').trim();
  }

  /** The engine's folder in the hierarchy of this controller. */
  folderOf(controller: string): string {
    return this.#folders.get(controller) ?? '';
  }

  hasController(name: string): boolean {
    return this.report.controllers.includes(name);
  }

  /**
   * The kernel lets a keeper have an init born in a group if it may write to `cgroup.procs` there and where
   * the paths of the two meet, which is here. There it is opened to all, since each keeper is another user:
   * no process can be moved here, where controllers are passed on, and sandboxes see no cgroup files at all.
   * The groups' own are their keepers'.
   */
  async #makeKeeperLeaf(): Promise<void> {
    const folder = this.#folders.get('memory')!;
    const leaf = join(folder, KEEPERS);
    await mkdir(leaf);
    if (process.geteuid!() === 0) chmodSync(join(folder, 'cgroup.procs'), 0o666);
    this.keeperJoins.push(openSync(join(leaf, 'cgroup.procs'), constants.O_WRONLY));
  }

  /** Removes our folders; groups of slots must have been retired. */
  async close(): Promise<void> {
    await this.#formerGroups.close();
    for (const fd of [...this.parentFds.splice(0), ...this.keeperJoins.splice(0)]) closeSync(fd);
    if (this.layout === V2) await removeFolder(join(this.#folders.get('memory')!, KEEPERS));
    for (const folder of new Set(this.#folders.values())) await removeFolder(folder);
  }

  #below(name: string, controllers: readonly string[]): Folders {
    return new Map(controllers.map((controller) => [controller, join(this.#folders.get(controller)!, name)]));
  }
}

interface Plan {
  layout: Layout;
  report: CgroupReport;
  /** By controller: the folder that ours is made in. */
  parents: Folders;
}

function none(reason: string): CgroupReport {
  return { version: 'none', path: null, controllers: [], reason };
}

/** v1 hierarchies that hold the controllers we need; a string says why not. */
function planV1(mounts: CgroupMounts, where: string): Plan | string {
  const parents = new Map<string, string>();
  for (const controller of [...V1.controllers, 'cpu', 'cpuset']) {
    const hierarchy = mounts.v1.find(({ controllers }) => controllers.includes(controller));
    if (hierarchy === undefined) continue;
    const place = placeIn(hierarchy, where);
    // What nobody needs is left out where only some hierarchies have been delegated.
    if (V1.controllers.includes(controller) || isWritable(place)) parents.set(controller, place);
  }
  const missing = V1.controllers.filter((controller) => !parents.has(controller));
  if (missing.length > 0) return `v1: no hierarchy for ${missing.join(', ')}`;
  const version = mounts.v2 === null ? 'v1' : 'hybrid';
  const report: CgroupReport = {
    version,
    path: parents.get('memory')!,
    controllers: [...parents.keys()],
    reason: null,
  };
  return { layout: V1, report, parents };
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function planV2(mounts: CgroupMounts, where: string): Plan | string {
  if (mounts.v2 === null) return 'v2: not mounted';
  const parent = placeIn(mounts.v2, where);
  const controllers = controllersIn(parent);
  const usable = ['memory', 'pids', 'cpu', 'cpuset'].filter((name) => controllers.includes(name));
  const missing = V2.controllers.filter((name) => !usable.includes(name));
  if (missing.length > 0) return `v2: ${parent} has no controller ${missing.join(', ')}`;
  const report: CgroupReport = { version: 'v2', path: parent, controllers: usable, reason: null };
  return { layout: V2, report, parents: new Map(usable.map((name) => [name, parent])) };
}

/** `where` names the same path in each hierarchy, below its mount point. */
function placeIn(hierarchy: Hierarchy, where: string): string {
  if (where !== 'auto') return join(hierarchy.point, where);
  // An engine of ours has moved this process aside before: its place is where it came from.
  const { folder } = hierarchy;
  return basename(folder) === HOST_LEAF ? dirname(folder) : folder;
}

function enable(folder: string, controllers: readonly string[]): void {
  for (const name of controllers) writeFileSync(join(folder, 'cgroup.subtree_control'), `+${name}`);
}

/** A v2 folder with processes cannot pass controllers on (the root can): ours move to a leaf first. */
function passControllersOn(folder: string, controllers: readonly string[]): void {
  try {
    enable(folder, controllers);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    moveAside(folder);
    enable(folder, controllers);
  }
}

function moveAside(folder: string): void {
  const leaf = join(folder, HOST_LEAF);
  try {
    if (!existsSync(leaf)) mkdirSync(leaf);
    for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').trim().split('\n')) {
      writeFileSync(join(leaf, 'cgroup.procs'), pid);
    }
  } catch {
    throw new Error(`${folder} holds processes, and ${HOST_LEAF} could not be made beside them`);
  }
}

function ownName(): string {
  enginesOpened += 1;
  return `sbx-${ownerTag()}-${threadTag()}${enginesOpened}`;
}

/** Engines in worker threads of one process count for themselves. */
function threadTag(): string {
  return Math.random().toString(36).slice(2, 8);
}
