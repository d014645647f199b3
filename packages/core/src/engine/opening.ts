/** Opens what an engine is made of, in order: cgroups, features, helper, pool. */
import { release } from 'node:os';
import { availableCpus } from '../cgroup/available-cpus.js';
import { CgroupTree } from '../cgroup/tree.js';
import { packageVersion } from '../native/native.js';
import { DEFAULT_MAX_SANDBOXES } from '../options/defaults.js';
import { engineLimits, type ResolvedLimits } from '../options/limits.js';
import { Helper } from '../pool/helper.js';
import { SandboxPool } from '../pool/sandbox-pool.js';
import { diskOf, isStrict, makeSandboxSpec } from '../pool/sandbox-spec.js';
import { claimBlock, type UserBlock } from '../pool/uid-block.js';
import { Zygote } from '../pool/zygote.js';
import { RootImage } from '../root/image.js';
import type { EngineInfo, EngineOptions } from '../types/engine.js';
import { askedFor, checkRequired, DEFAULT_REQUIRE, describeFeatures, type FeatureTable } from './features.js';
import { hardOpenFiles, sandboxesThatFit } from './open-files.js';
import { isRootless } from './rootless.js';
import { mountsOf, templateOf } from './template.js';

const DEFAULT_QUEUE_LENGTH = 512;
/** Sandboxes kept ready for a high parallelism that nobody asked to keep ready. */
const READY_MAX = 16;

export interface Opened {
  /** With the rows of a minimal root. */
  options: EngineOptions;
  image: RootImage | null;
  helper: Helper;
  pool: SandboxPool;
  /** `null` where the caller says which, and for an ordinary user. */
  users: UserBlock | null;
  tree: CgroupTree | null;
  info: EngineInfo;
  features: FeatureTable;
  limits: ResolvedLimits;
}

export async function openParts(asked: EngineOptions): Promise<Opened> {
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
  const rootless = isRootless();
  const opened = await CgroupTree.open(options.cgroup ?? 'auto');
  const tree = opened instanceof CgroupTree ? opened : null;
  const report = opened instanceof CgroupTree ? opened.report : opened;
  let helper: Helper | undefined;
  let pool: SandboxPool | undefined;
  let users: UserBlock | null = null;
  try {
    const sample = tree === null ? null : await tree.makeGroup();
    const features = describeFeatures(report, tree, sample, rootless);
    await sample?.remove();
    checkRequired(features, options.require ?? [...DEFAULT_REQUIRE, ...askedFor(options)], report);
    helper = await Helper.open({
      start: async () => Zygote.start(templateOf(options, features, tree)),
      onRestarted: () => pool?.fill(),
    });
    if (!rootless && options.uidBase === undefined)
      users = claimBlock(options.maxSandboxes ?? DEFAULT_MAX_SANDBOXES);
    const uidBase = users?.first ?? options.uidBase ?? 0;
    const info = describe(options, { report, features, uidBase, limits });
    pool = makePool(options, info, tree, helper);
    await pool.open();
    return { options, helper, pool, users, tree, info, features, limits };
  } catch (error) {
    await helper?.close();
    users?.release();
    await tree?.close();
    throw error;
  }
}

function makePool(
  options: EngineOptions,
  info: EngineInfo,
  tree: CgroupTree | null,
  helper: Helper,
): SandboxPool {
  const { parallelism, maxSandboxes } = info;
  const spec = makeSandboxSpec({
    loopback: false,
    strict: isStrict(options.seccomp),
    seccompKill: false,
    terminal: false,
    ...diskOf(engineLimits(options.limits, options.ceilings)),
  });
  return new SandboxPool({
    keep: Math.min(
      maxSandboxes,
      Math.min(parallelism, READY_MAX) + (options.readyCount ?? Math.min(parallelism, READY_MAX)),
    ),
    maxInUse: maxSandboxes,
    uidBase: info.user.uidBase ?? 0,
    spec,
    tree,
    clone: (slotId, uidBase, helperEnd) => helper.newSlot(slotId, uidBase, helperEnd),
  });
}

function describe(
  options: EngineOptions,
  found: { report: EngineInfo['cgroup']; features: FeatureTable; uidBase: number; limits: ResolvedLimits },
): EngineInfo {
  const { report, features, uidBase, limits } = found;
  const maxSandboxes = Math.min(
    options.maxSandboxes ?? DEFAULT_MAX_SANDBOXES,
    sandboxesThatFit(hardOpenFiles()),
  );
  return {
    version: packageVersion(),
    kernel: release(),
    cgroup: { ...report },
    user: uidBase === 0 ? { mode: 'rootless', uidBase: null } : { mode: 'root', uidBase },
    features,
    parallelism: Math.min(options.parallelism ?? availableCpus(), maxSandboxes),
    maxSandboxes,
    queueLength: options.queueLength ?? DEFAULT_QUEUE_LENGTH,
    limits: { ...limits, cpuSet: limits.cpuSet?.join(',') ?? null },
    ceilings: { ...options.ceilings },
    mounts: mountsOf(options),
  };
}
