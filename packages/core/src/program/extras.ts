/** CPU rate, weight and set: controllers that cost something to be in, so only programs that ask for them are put there. */
import { join } from 'node:path';
import type { Group } from '../cgroup/group.js';
import type { EngineCore } from '../engine/core.js';
import type { Slot } from '../engine/slot.js';
import { PermissionError } from '../errors.js';
import { CPU_WEIGHT_NORMAL, type ResolvedLimits } from '../options/limits.js';

/**
 * Writes the three limits and returns the cgroup.procs files that the program must enter (v1). Limits that the machine
 * cannot keep are left to `degraded`. `undefined` when there is nothing to wait for.
 */
export function joinExtras(
  core: EngineCore,
  slot: Slot,
  limits: ResolvedLimits,
): Promise<number[]> | undefined {
  const touched = slot.group !== null && slot.cpuLimited;
  if (core.tree === null || !(asksForAny(limits) || touched)) return undefined;
  return core.tree.layout.version === 'v1' ? joinV1(core, slot, limits) : writeV2(core, slot, limits);
}

/** For a program that has started with another weight: it has joined what it must. */
export function writeWeight(core: EngineCore, slot: Slot, { cpuWeight }: ResolvedLimits): void {
  if (cpuWeight === null || core.tree === null || !core.features['cpu-weight'].available) return;
  const isV2 = core.tree.layout.version === 'v2';
  const own = isV2 ? ([slot.group!, 'memory'] as const) : cpuGroupV1(core, slot);
  const [group, controller] = own ?? [slot.extras.get('cpu')!, 'cpu'];
  writeFiles(group, controller, [weightFile(group, cpuWeight)]);
}

function asksForAny({ cpuRate, cpuWeight, cpuSet }: ResolvedLimits): boolean {
  return cpuRate !== null || cpuWeight !== null || cpuSet !== null;
}

/** Mounted together, `cpu` cannot be joined without taking the accounting along: the sandbox's own group is in it then. */
function cpuGroupV1(core: EngineCore, slot: Slot): [Group, string] | null {
  const group = slot.group!;
  const isShared = group.folders.get('cpuacct') === join(core.tree!.folderOf('cpu'), group.name);
  return isShared ? [group, 'cpuacct'] : null;
}

async function joinV1(core: EngineCore, slot: Slot, limits: ResolvedLimits): Promise<number[]> {
  const joins: number[] = [];
  const own = cpuGroupV1(core, slot);
  if (own !== null) {
    writeCpu(own[0], own[1], limits);
    slot.cpuLimited = limits.cpuRate !== null || limits.cpuWeight !== null;
  } else if ((limits.cpuRate !== null || limits.cpuWeight !== null) && core.features['cpu-rate'].available) {
    const group = await extra(core, slot, 'cpu'); // which it leaves by ending: nothing is to be undone
    writeCpu(group, 'cpu', limits);
    joins.push(...group.joins);
  }
  if (limits.cpuSet !== null && core.features['cpu-set'].available) {
    const group = await extra(core, slot, 'cpuset');
    writeCpuSet(group, 'cpuset', limits.cpuSet);
    joins.push(...group.joins);
  }
  return joins;
}

/** In v2 the sandbox's own group has all three; they stay for the next program, which sets its own. */
async function writeV2(core: EngineCore, slot: Slot, limits: ResolvedLimits): Promise<number[]> {
  const group = slot.group!;
  if (core.features['cpu-rate'].available) writeCpu(group, 'memory', limits);
  if (core.features['cpu-set'].available) writeCpuSet(group, 'memory', limits.cpuSet ?? []);
  slot.cpuLimited = asksForAny(limits);
  return [];
}

/** Rate and weight are of one controller: it has both or neither. */
function writeCpu(group: Group, controller: string, { cpuRate, cpuWeight }: ResolvedLimits): void {
  const weight = weightFile(group, cpuWeight ?? CPU_WEIGHT_NORMAL);
  writeFiles(group, controller, [...group.layout.cpuRate.write(cpuRate), weight]);
}

function weightFile({ layout }: Group, weight: number): [file: string, text: string] {
  return layout.cpuWeight.write(weight);
}

function writeFiles(group: Group, controller: string, files: [file: string, text: string][]): void {
  for (const [file, text] of files) group.write(controller, file, text);
}

async function extra(core: EngineCore, slot: Slot, controller: 'cpu' | 'cpuset'): Promise<Group> {
  const made = slot.extras.get(controller) ?? (await core.tree!.makeExtra(controller));
  slot.extras.set(controller, made);
  return made;
}

function writeCpuSet(group: Group, controller: string, cpus: readonly number[]): void {
  try {
    group.write(controller, 'cpuset.cpus', cpus.join(','));
  } catch (cause) {
    throw new PermissionError({
      layer: 'cgroup',
      message: `The CPU set ${cpus.join(',')} was refused by the cgroup.`,
      hint: 'Name CPUs that the machine and the cgroup above have.',
      cause,
    });
  }
}
