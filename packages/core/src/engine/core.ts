/**
 * What an engine is made of: helper, slots, queue, cgroups, counters. `Engine` and `Sandbox` are what users see of it.
 */
import { availableParallelism, release } from 'node:os';
import { CgroupTree } from '../cgroup/tree.js';
import { ClosedError, type SbxError } from '../errors.js';
import { loadNative, type Native, packageVersion } from '../native.js';
import { DEFAULT_UMASK, DEFAULT_WORK_DIR } from '../options/defaults.js';
import { validateEngineOptions } from '../options/engine-options.js';
import { engineLimits, type ResolvedLimits } from '../options/limits.js';
import { toolchainPath } from '../options/toolchains.js';
import { RootImage } from '../root/image.js';
import type { EngineCounters, EngineInfo, EngineOptions, Feature, SandboxShape, Status } from '../types.js';
import { STATUSES } from '../types.js';
import { askedFor, checkRequired, DEFAULT_REQUIRE, describeFeatures, type FeatureTable } from './features.js';
import { checkKernel, countsTasksPerNamespace } from './kernel.js';
import { treeTargets } from './mounts.js';
import { checkOpenFileRoom, hardOpenFiles } from './open-files.js';
import { Overdue } from './overdue.js';
import { allowedCpus, CpuPins } from './pins.js';
import { Queue } from './queue.js';
import type { Shape, Slot } from './slot.js';
import { Slots } from './slots.js';
import { isStrict, mountsOf, templateOf } from './template.js';
import { randomBlock } from './uid-block.js';
import { Zygote } from './zygote.js';

const DEFAULT_MAX_SANDBOXES = 256;
const DEFAULT_QUEUE_LENGTH = 512;
/** Sandboxes kept ready for a high parallelism that nobody asked to keep ready. */
const READY_MAX = 16;

export class EngineCore {
  readonly limits: ResolvedLimits;
  readonly options: EngineOptions;
  readonly workDir: string;
  /** Folders of toolchains, put before the default PATH. */
  readonly toolchainPath: string;
  /** Of folders on the way to a file that is put in: as programs make them. */
  readonly folderMode: number;
  /** Where the trees of each sandbox are mounted. */
  readonly treeTargets: readonly string[];
  readonly features: FeatureTable;
  readonly missing: readonly Feature[];
  /** What its own options ask for beyond limits. */
  readonly asked: readonly Feature[];
  /** Where each sandbox has a CPU of its own. */
  readonly pins: CpuPins | null;
  readonly tree: CgroupTree | null;
  readonly queue: Queue;
  readonly overdue = new Overdue();
  readonly slots: Slots;
  readonly native: Native;
  /** Tasks beside the program's that RLIMIT_NPROC counts in a sandbox with one program; `null` where it counts others, too. */
  readonly countedHelpers: number | null;
  readonly machineCpus = availableParallelism();
  readonly openFilesMax = hardOpenFiles();
  readonly byStatus: Record<Status, number>;
  startedTotal = 0;
  finishedTotal = 0;
  /** Groups of programs that were joined. */
  groupsTotal = 0;
  /** Called when the engine closes: ends what is still open. */
  readonly closers = new Set<() => Promise<void>>();
  /** The root is a list of packages: what is missing there can be added to it. */
  readonly hasMinimalRoot: boolean;
  readonly #image: RootImage | null;
  readonly #zygote: Zygote;
  readonly #info: EngineInfo;
  #closed: Promise<void> | null = null;
  #lost: SbxError | null = null;

  private constructor(parts: Opened) {
    const { options, image, zygote, slots, tree, info, features, limits } = parts;
    this.native = loadNative().native;
    this.options = options;
    this.limits = limits;
    this.workDir = options.workDir ?? DEFAULT_WORK_DIR;
    this.toolchainPath = toolchainPath(options.toolchains);
    this.folderMode = 0o777 & ~(options.umask ?? DEFAULT_UMASK);
    this.treeTargets = treeTargets(this.workDir, options.mounts ?? []).slice(
      0,
      this.native.constants.treesMax,
    );
    this.features = features;
    this.missing = (Object.keys(features) as Feature[]).filter((feature) => !features[feature].available);
    this.asked = askedFor(options);
    this.countedHelpers = countedHelpers(features);
    this.pins = options.pinning === 'sandbox' ? new CpuPins(limits.cpuSet ?? allowedCpus()) : null;
    this.tree = tree;
    this.slots = slots;
    this.queue = new Queue(info.parallelism, info.queueLength);
    this.byStatus = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
    this.hasMinimalRoot = image !== null;
    this.#image = image;
    this.#zygote = zygote;
    this.#info = frozen(structuredClone(info)); // the options' own objects stay the caller's
    zygote.onLost((error) => {
      this.#lost = error;
    });
  }

  static async open(options: EngineOptions = {}): Promise<EngineCore> {
    validateEngineOptions(options);
    checkKernel();
    checkOpenFileRoom(hardOpenFiles());
    const { native } = loadNative();
    native.holdLoop();
    try {
      return new EngineCore(await openParts(options));
    } finally {
      native.releaseLoop();
    }
  }

  /** Throws when nothing can be started any more. */
  checkOpen(): void {
    if (this.#closed !== null) throw new ClosedError('The engine');
    if (this.#lost !== null) throw this.#lost;
  }

  shape(options: SandboxShape, limits: ResolvedLimits, terminal: boolean): Shape {
    const strict = isStrict(this.options.seccomp, options.seccomp);
    const seccompKill = options.seccompAction === 'kill';
    const loopback = options.network === 'loopback';
    return makeShape({ loopback, strict, seccompKill, terminal, ...diskOf(limits) });
  }

  acquire(shape: Shape): Slot | Promise<Slot> {
    this.checkOpen();
    return this.slots.acquire(shape);
  }

  info(): EngineInfo {
    return this.#info;
  }

  counters(): EngineCounters {
    const { queue, slots, startedTotal, finishedTotal, byStatus } = this;
    return {
      running: queue.running,
      waiting: queue.waiting,
      ready: slots.ready,
      sandboxes: slots.inUse,
      startedTotal,
      finishedTotal,
      refusedTotal: queue.refused,
      byStatus: { ...byStatus },
    };
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    this.native.holdLoop();
    const reason = new ClosedError('The engine');
    this.queue.close(reason);
    await Promise.all([...this.closers].map((close) => close()));
    // At once: the end of the zygote kills all that is below it, while a keeper has to wait for its turn beside what spins.
    await Promise.all([this.slots.close(reason), this.#zygote.close()]);
    this.overdue.close();
    await this.tree?.close();
    await this.#image?.close();
    this.native.releaseLoop();
  }
}

interface Opened {
  /** With the rows of a minimal root. */
  options: EngineOptions;
  image: RootImage | null;
  zygote: Zygote;
  slots: Slots;
  tree: CgroupTree | null;
  info: EngineInfo;
  features: FeatureTable;
  limits: ResolvedLimits;
}

async function openParts(asked: EngineOptions): Promise<Opened> {
  const image = await RootImage.open(asked);
  try {
    const options = image === null ? asked : { ...asked, mounts: image.mounts };
    return { ...(await openOn(options)), image };
  } catch (error) {
    await image?.close();
    throw error;
  }
}

async function openOn(options: EngineOptions): Promise<Omit<Opened, 'image'>> {
  const limits = engineLimits(options.limits, options.ceilings);
  const rootless = process.geteuid!() !== 0;
  const opened = await CgroupTree.open(options.cgroup ?? 'auto');
  const tree = opened instanceof CgroupTree ? opened : null;
  const report = opened instanceof CgroupTree ? opened.report : opened;
  let zygote: Zygote | undefined;
  try {
    const sample = tree === null ? null : await tree.makeGroup();
    const features = describeFeatures(report, tree, sample, rootless);
    await sample?.remove();
    checkRequired(features, options.require ?? [...DEFAULT_REQUIRE, ...askedFor(options)], report);
    zygote = await Zygote.start(templateOf(options, features, tree));
    const uidBase = rootless
      ? 0
      : (options.uidBase ?? randomBlock(options.maxSandboxes ?? DEFAULT_MAX_SANDBOXES));
    const info = describe(options, { report, features, uidBase, limits });
    const slots = makeSlots(options, info, tree, zygote);
    await slots.open();
    return { options, zygote, slots, tree, info, features, limits };
  } catch (error) {
    await zygote?.close();
    await tree?.close();
    throw error;
  }
}

function makeSlots(options: EngineOptions, info: EngineInfo, tree: CgroupTree | null, zygote: Zygote): Slots {
  const { parallelism, maxSandboxes } = info;
  const shape = makeShape({
    loopback: false,
    strict: isStrict(options.seccomp),
    seccompKill: false,
    terminal: false,
    ...diskOf(engineLimits(options.limits, options.ceilings)),
  });
  return new Slots({
    keep: Math.min(
      maxSandboxes,
      Math.min(parallelism, READY_MAX) + (options.readyCount ?? Math.min(parallelism, READY_MAX)),
    ),
    maxInUse: maxSandboxes,
    uidBase: info.user.uidBase ?? 0,
    shape,
    tree,
    clone: (slotId, uidBase, helperEnd) => zygote.newSlot(slotId, uidBase, helperEnd),
  });
}

function describe(
  options: EngineOptions,
  found: { report: EngineInfo['cgroup']; features: FeatureTable; uidBase: number; limits: ResolvedLimits },
): EngineInfo {
  const { report, features, uidBase, limits } = found;
  return {
    version: packageVersion(),
    kernel: release(),
    cgroup: { ...report },
    user: uidBase === 0 ? { mode: 'rootless', uidBase: null } : { mode: 'root', uidBase },
    features,
    parallelism: options.parallelism ?? availableParallelism(),
    maxSandboxes: options.maxSandboxes ?? DEFAULT_MAX_SANDBOXES,
    queueLength: options.queueLength ?? DEFAULT_QUEUE_LENGTH,
    limits: { ...limits, cpuSet: limits.cpuSet?.join(',') ?? null },
    ceilings: { ...options.ceilings },
    mounts: mountsOf(options),
  };
}

function diskOf(limits: ResolvedLimits): { diskBytes: number; diskFileCount: number } {
  // 0 is no limit for tmpfs; the top folder takes one place of its own.
  const diskFileCount = limits.diskFileCount === null ? 0 : limits.diskFileCount + 1;
  return { diskBytes: limits.diskBytes ?? 0, diskFileCount };
}

function makeShape(parts: Omit<Shape, 'key'>): Shape {
  const { loopback, strict, seccompKill, terminal, diskBytes, diskFileCount } = parts;
  const flags =
    Number(loopback) | (Number(strict) << 1) | (Number(seccompKill) << 2) | (Number(terminal) << 3);
  return { key: `${flags}:${diskBytes}:${diskFileCount}`, ...parts };
}

/** A program has a user of its own, or, as an ordinary user, shares it with its keeper and init in a namespace of their own. */
function countedHelpers(features: FeatureTable): number | null {
  if (features['distinct-users'].available) return 0;
  return countsTasksPerNamespace() ? 2 : null;
}

/** With all that is in it. */
function frozen<T extends object>(value: T): T {
  for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) frozen(inner);
  return Object.freeze(value);
}

let defaultCore: Promise<EngineCore> | undefined;

/** The engine of this environment, opened at first use. A failed opening is tried again at the next call. */
export function openDefaultCore(): Promise<EngineCore> {
  defaultCore ??= EngineCore.open().catch((error) => {
    defaultCore = undefined;
    throw error;
  });
  return defaultCore;
}
