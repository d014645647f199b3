/** The guarantees of an engine: by which mechanism, or why not. */
import { release } from 'node:os';
import type { Group } from '../cgroup/group.js';
import type { CgroupReport, CgroupTree } from '../cgroup/tree.js';
import { UnsupportedError } from '../errors.js';
import { loadNative } from '../native/native.js';
import type { CounterName } from '../native/tables.js';
import type { EngineInfo, EngineOptions } from '../types/engine.js';
import { FEATURES, type Feature } from '../types/limits.js';
import { uncountedMemory } from './command-line.js';

export type FeatureTable = EngineInfo['features'];

/**
 * Required unless the caller says otherwise: what a verdict rests on. That is no peak: the kernel itself says
 * when a limit was met, and cgroup v2 has `memory.peak` from Linux 5.19 and `pids.peak` from 6.1 on only.
 */
export const DEFAULT_REQUIRE: readonly Feature[] = FEATURES.filter(
  (feature) =>
    ![
      'distinct-users',
      'memory-peak',
      'process-peak',
      'swap-limit',
      'kernel-memory-limit',
      'cpu-set',
      'cpu-rate',
      'cpu-weight',
      'landlock',
      'core-scheduling',
    ].includes(feature),
);

/** Guarantees that an engine asks for by its own options. */
export function askedFor({ landlock, coreScheduling, pinning }: EngineOptions): Feature[] {
  const asked: [Feature, boolean][] = [
    ['landlock', landlock === true],
    ['core-scheduling', coreScheduling === true],
    ['cpu-set', pinning === 'sandbox'],
  ];
  return asked.filter(([, wanted]) => wanted).map(([feature]) => feature);
}

/** Before it, a domain forbids every rename from one folder to another. */
const LANDLOCK_ABI_MIN = 2;

/** Guarantees that rest on one file of a cgroup. */
const BY_COUNTER: Readonly<Partial<Record<Feature, CounterName>>> = {
  'cpu-accounting': 'cpu',
  'memory-limit': 'memoryLimit',
  'memory-peak': 'memoryPeak',
  'swap-limit': 'swapLimit',
  'process-limit': 'taskLimit',
  'process-peak': 'taskPeak',
};

/** Looks at a group of the engine, `null` without cgroups. */
export function describeFeatures(
  report: CgroupReport,
  tree: CgroupTree | null,
  group: Group | null,
  rootless: boolean,
): FeatureTable {
  const table = {} as { -readonly [Name in Feature]: FeatureTable[Name] };
  const put = (feature: Feature, mechanism: string | null, reason: string | null) => {
    table[feature] = { available: mechanism !== null, mechanism, reason: mechanism === null ? reason : null };
  };
  const noCgroup = report.reason ?? 'no cgroup';
  for (const feature of FEATURES) {
    const counter = BY_COUNTER[feature];
    if (counter === undefined) continue;
    const file = tree?.layout.counters[counter]?.file;
    const there = group?.has(counter) === true;
    put(
      feature,
      there ? `cgroup ${report.version} ${file}` : null,
      group === null ? noCgroup : `the kernel has no ${file}`,
    );
  }
  put('kernel-memory-limit', ...kernelMemory(tree, group, noCgroup));
  for (const [feature, controller] of [
    ['cpu-rate', 'cpu'],
    ['cpu-weight', 'cpu'],
    ['cpu-set', 'cpuset'],
  ] as const) {
    const there = tree?.hasController(controller) === true;
    put(
      feature,
      there ? `cgroup ${report.version} ${controller}` : null,
      tree === null ? noCgroup : `no ${controller} controller`,
    );
  }
  const why =
    'an ordinary user has one id, and so has root without CAP_SYS_ADMIN; run as root with it for one per sandbox';
  put('distinct-users', rootless ? null : 'user namespace per slot, two host ids each', why);
  put('private-proc', 'procfs subset=pid,hidepid=ptraceable', null);
  put('seccomp', 'seccomp filter', null);
  const { landlockAbi, coreScheduling } = loadNative().native.probeKernel();
  const old = landlockAbi < 0 ? 'the kernel has no Landlock, or it is switched off' : 'Linux 5.19 is needed';
  put('landlock', landlockAbi >= LANDLOCK_ABI_MIN ? `Landlock ABI ${landlockAbi}` : null, old);
  const noCookie = 'the kernel has no core scheduling, or the machine no hyper-threads';
  put('core-scheduling', coreScheduling === 0 ? 'PR_SCHED_CORE' : null, noCookie);
  return table;
}

function kernelMemory(
  tree: CgroupTree | null,
  group: Group | null,
  noCgroup: string,
): [mechanism: string | null, reason: string | null] {
  if (tree === null || group?.has('memoryLimit') !== true) return [null, noCgroup];
  const { version, counters } = tree.layout;
  const reason = uncountedMemory(version);
  return [reason === null ? `cgroup ${version} ${counters.memoryLimit?.file}` : null, reason];
}

/** Throws when a required guarantee is missing. */
export function checkRequired(table: FeatureTable, required: readonly Feature[], report: CgroupReport): void {
  const missing = required.filter((feature) => !table[feature].available);
  if (missing.length === 0) return;
  const byReason = new Map<string, Feature[]>();
  for (const feature of missing) {
    const reason = table[feature].reason ?? '';
    byReason.set(reason, [...(byReason.get(reason) ?? []), feature]);
  }
  const list = [...byReason].map(([reason, features]) => `${features.join(', ')} (${reason})`).join('; ');
  const problem = `This machine cannot give what is required: ${list}.`;
  const fix = cgroupHint(report);
  throw new UnsupportedError({
    code: 'SBX_REQUIRED_FEATURE_MISSING',
    message: problem,
    hint: `${fix} Or accept less: Engine.open({ require: [] }) lists in every result's \`degraded\` what was missing.`,
    // Apart, for commands: they have a flag where a program has an option.
    details: { missing, kernel: release(), problem, fix },
  });
}

function cgroupHint(report: CgroupReport): string {
  if (report.version !== 'none') return '`sbx doctor` says more.';
  return 'Run as root, or in a delegated cgroup: `systemd-run --user --scope -p Delegate=yes -- COMMAND`; in Docker with `--security-opt writable-cgroups=true`, or --privileged.';
}
