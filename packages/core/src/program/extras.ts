/** CPU rate and CPU set: controllers that cost something to be in, so only programs that ask for them are put there. */
import { join } from 'node:path';
import type { Group } from '../cgroup/group.js';
import type { EngineCore } from '../engine/core.js';
import type { Slot } from '../engine/slot.js';
import { PermissionError } from '../errors.js';
import type { ResolvedLimits } from '../options/limits.js';

/**
 * Writes the two limits and returns the cgroup.procs files that the program must enter (v1). Limits that the machine
 * cannot keep are left to `degraded`. `undefined` when there is nothing to wait for.
 */
export function joinExtras(
  core: EngineCore,
  slot: Slot,
  limits: ResolvedLimits,
): Promise<number[]> | undefined {
  const { cpuRate, cpuSet } = limits;
  const touched = slot.group !== null && slot.cpuLimited;
  if (core.tree === null || (cpuRate === null && cpuSet === null && !touched)) return undefined;
  return core.tree.layout.version === 'v1' ? joinV1(core, slot, limits) : writeV2(core, slot, limits);
}

async function joinV1(core: EngineCore, slot: Slot, limits: ResolvedLimits): Promise<number[]> {
  const joins: number[] = [];
  // Mounted together, `cpu` cannot be joined without taking the accounting along: the sandbox's own group has the rate then.
  if (slot.group!.folders.get('cpuacct') === join(core.tree!.folderOf('cpu'), slot.group!.name)) {
    writeRate(slot, slot.group!, 'cpuacct', limits.cpuRate);
  } else if (limits.cpuRate !== null && core.features['cpu-rate'].available) {
    const group = await extra(core, slot, 'cpu');
    writeRate(slot, group, 'cpu', limits.cpuRate);
    slot.cpuLimited = false; // it leaves the group with the program
    joins.push(...group.joins);
  }
  if (limits.cpuSet !== null && core.features['cpu-set'].available) {
    const group = await extra(core, slot, 'cpuset');
    writeCpuSet(group, 'cpuset', limits.cpuSet);
    joins.push(...group.joins);
  }
  return joins;
}

/** In v2 the sandbox's own group has both; they stay for the next program, which sets its own. */
async function writeV2(core: EngineCore, slot: Slot, limits: ResolvedLimits): Promise<number[]> {
  const group = slot.group!;
  if (core.features['cpu-rate'].available) writeRate(slot, group, 'memory', limits.cpuRate);
  if (core.features['cpu-set'].available) writeCpuSet(group, 'memory', limits.cpuSet ?? []);
  slot.cpuLimited = limits.cpuRate !== null || limits.cpuSet !== null;
  return [];
}

function writeRate(slot: Slot, group: Group, controller: string, rate: number | null): void {
  for (const [file, text] of group.layout.cpuRate.write(rate)) group.write(controller, file, text);
  slot.cpuLimited = rate !== null;
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
