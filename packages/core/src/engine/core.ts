/**
 * The parts of an engine: helper, pool, queue, cgroups, counters. `Engine` and `Sandbox` are what users see
 * of it.
 */
import { availableParallelism } from 'node:os';
import { AdmissionQueue } from '@sbx/shared';
import type { CgroupTree } from '../cgroup/tree.js';
import { ClosedError, OverloadedError } from '../errors.js';
import { checkSystem, loadNative, type Native } from '../native/native.js';
import { TREES_MAX } from '../native/tables.js';
import { DEFAULT_UMASK, DEFAULT_WORK_DIR } from '../options/defaults.js';
import { validateEngineOptions } from '../options/engine-options.js';
import type { ResolvedLimits } from '../options/limits.js';
import { toolchainPath } from '../options/toolchains.js';
import type { Helper } from '../pool/helper.js';
import { allowedCpus, CpuPins } from '../pool/pins.js';
import type { SandboxPool } from '../pool/sandbox-pool.js';
import { diskOf, isStrict, makeSandboxSpec, type SandboxSpec } from '../pool/sandbox-spec.js';
import type { Slot } from '../pool/slot.js';
import type { UserBlock } from '../pool/uid-block.js';
import type { RootImage } from '../root/image.js';
import type { EngineCounters, EngineInfo, EngineOptions } from '../types/engine.js';
import type { Feature, Status } from '../types/limits.js';
import { STATUSES } from '../types/limits.js';
import type { SandboxShape } from '../types/program.js';
import { askedFor, type FeatureTable } from './features.js';
import { checkKernel, countsTasksPerNamespace, usableCpus } from './kernel.js';
import { treeTargets } from './mounts.js';
import { checkOpenFileRoom, hardOpenFiles, openFilesOfPrograms } from './open-files.js';
import { type Opened, openParts } from './opening.js';
import { Watch } from './watch.js';

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
  /** Features that its own options ask for. */
  readonly asked: readonly Feature[];
  /** Where each sandbox has a CPU of its own. */
  readonly pins: CpuPins | null;
  readonly tree: CgroupTree | null;
  readonly queue: AdmissionQueue;
  readonly watch = new Watch();
  readonly pool: SandboxPool;
  readonly native: Native;
  /**
   * Tasks of the helper that RLIMIT_NPROC counts with the program's in a sandbox with one program; `null`
   * where it counts others, too.
   */
  readonly countedHelpers: number | null;
  readonly machineCpus = availableParallelism();
  /** Of a program without a CPU set. */
  readonly usableCpus: number;
  readonly openFilesMax: number;
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
  readonly #helper: Helper;
  readonly #users: UserBlock | null;
  readonly #info: EngineInfo;
  #closed: Promise<void> | null = null;

  private constructor(parts: Opened) {
    const { options, image, helper, pool, users, tree, info, features, limits } = parts;
    this.native = loadNative().native;
    this.options = options;
    this.limits = limits;
    this.workDir = options.workDir ?? DEFAULT_WORK_DIR;
    this.toolchainPath = toolchainPath(options.toolchains);
    this.folderMode = 0o777 & ~(options.umask ?? DEFAULT_UMASK);
    this.treeTargets = treeTargets(this.workDir, options.mounts ?? []).slice(0, TREES_MAX);
    this.features = features;
    this.missing = (Object.keys(features) as Feature[]).filter((feature) => !features[feature].available);
    this.asked = askedFor(options);
    this.countedHelpers = countedHelpers(features);
    this.pins = options.pinning === 'sandbox' ? new CpuPins(limits.cpuSet ?? allowedCpus()) : null;
    this.tree = tree;
    this.usableCpus = usableCpus(tree);
    this.openFilesMax = openFilesOfPrograms(hardOpenFiles(), info.user.mode === 'rootless', this.machineCpus);
    this.pool = pool;
    this.queue = runQueue(info);
    this.byStatus = Object.fromEntries(STATUSES.map((status) => [status, 0])) as Record<Status, number>;
    this.hasMinimalRoot = image !== null;
    this.#image = image;
    this.#helper = helper;
    this.#users = users;
    this.#info = frozen(structuredClone(info)); // the options' own objects stay the caller's
  }

  static async open(options: EngineOptions = {}): Promise<EngineCore> {
    validateEngineOptions(options);
    checkSystem();
    checkKernel();
    checkOpenFileRoom(hardOpenFiles());
    const { native } = loadNative();
    native.holdLoop();
    try {
      // A copy: what the caller changes in them later is neither checked nor in `info()`.
      return new EngineCore(await openParts(structuredClone(options)));
    } finally {
      native.releaseLoop();
    }
  }

  /** Throws when nothing can be started any more. */
  checkOpen(): void {
    if (this.#closed !== null) throw new ClosedError('The engine');
  }

  get isReady(): boolean {
    return this.#closed === null && this.#helper.lost === null;
  }

  sandboxSpec(options: SandboxShape, limits: ResolvedLimits, terminal: boolean): SandboxSpec {
    const strict = isStrict(this.options.seccomp, options.seccomp);
    const seccompKill = options.seccompAction === 'kill';
    const loopback = options.network === 'loopback';
    return makeSandboxSpec({ loopback, strict, seccompKill, terminal, ...diskOf(limits) });
  }

  /** A slot with a ready sandbox of this spec. While the helper is restarted the promise waits for that. */
  acquire(spec: SandboxSpec): Slot | Promise<Slot> {
    this.checkOpen();
    if (this.#helper.lost !== null) return this.#helper.restarting().then(() => this.acquire(spec));
    const slot = this.pool.acquire(spec);
    return slot instanceof Promise ? slot.catch((error) => this.#acquireAgain(spec, error)) : slot;
  }

  /**
   * A request that lost its sandbox with the helper, before anything was started in it, gets one from the
   * next helper.
   */
  #acquireAgain(spec: SandboxSpec, error: unknown): Slot | Promise<Slot> {
    if (this.#closed !== null || this.#helper.lost === null) throw error;
    return this.acquire(spec);
  }

  info(): EngineInfo {
    return this.#info;
  }

  counters(): EngineCounters {
    const { queue, pool, startedTotal, finishedTotal, byStatus } = this;
    return {
      running: queue.running,
      waiting: queue.waiting,
      ready: pool.ready,
      sandboxes: pool.inUse,
      startedTotal,
      finishedTotal,
      refusedTotal: queue.refused,
      helperRestartsTotal: this.#helper.restarts,
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
    // At once: the end of the zygote kills all that is below it, while a keeper competes for the CPU with
    // programs that spin.
    await Promise.all([this.pool.close(reason), this.#helper.close()]);
    this.#users?.release();
    this.watch.close();
    await this.tree?.close();
    await this.#image?.close();
    this.native.releaseLoop();
  }
}

function runQueue({ parallelism, queueLength }: EngineInfo): AdmissionQueue {
  const message = `All ${parallelism} places are taken and ${queueLength} runs are waiting, as many as may (queueLength). Raise queueLength in the options of Engine.open, or start fewer at once: engine.runMany(requests, { concurrency }) does.`;
  const details = { parallelism, queueLength };
  return new AdmissionQueue(
    { places: parallelism, queueLength },
    { full: (retryAfterMs) => new OverloadedError({ message, details, retryAfterMs }) },
  );
}

/**
 * A program has a user of its own, or, as an ordinary user, shares it with its keeper and init in a namespace
 * of their own.
 */
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
