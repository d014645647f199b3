/** CPU rate, weight and set: limits of the sandbox's own group, so of all programs that live in it. */
import type { Group } from '../cgroup/group.js';
import type { EngineCore } from '../engine/core.js';
import { PermissionError } from '../errors.js';
import { CPU_WEIGHT_NORMAL } from '../options/limits.js';
import type { CpuLimits, Slot } from '../pool/slot.js';
import type { SandboxLease } from './sandbox-lease.js';

/**
 * Writes the limits of the next program and returns the cgroup.procs files that it must enter (v1, for a CPU set). Limits
 * that the machine cannot keep are left to `degraded`. `undefined` when there is nothing to wait for.
 */
export function writeCpuLimits(lease: SandboxLease, limits: CpuLimits): Promise<number[]> | undefined {
  const { core, slot } = lease;
  if (core.tree === null) return undefined;
  const wanted = lease.alive === 0 ? limits : mergeConcurrent(slot.cpuLimits, limits);
  writeCpuShare(core, slot, wanted);
  const { cpuSet } = wanted;
  if (!core.features['cpu-set'].available) return undefined;
  if (core.tree.layout.version === 'v1') return cpuSet === null ? undefined : joinCpuSet(core, slot, cpuSet);
  if (slot.cpuLimits.cpuSet === cpuSet) return undefined;
  writeCpuSet(slot.group!, cpuSet?.join(',') ?? core.tree.allCpus());
  slot.cpuLimits = { ...slot.cpuLimits, cpuSet };
  return undefined;
}

/** Rate and weight alone, which a program that has started may be given too. */
export function writeCpuShare(core: EngineCore, slot: Slot, { cpuRate, cpuWeight }: CpuLimits): void {
  if (core.tree === null || !core.features['cpu-rate'].available) return;
  const written = slot.cpuLimits;
  if (written.cpuRate === cpuRate && written.cpuWeight === cpuWeight) return; // nearly every run
  const { layout } = slot.group!;
  const files: [file: string, text: string][] = [];
  if (written.cpuRate !== cpuRate) files.push(...layout.cpuRate.write(cpuRate));
  if (written.cpuWeight !== cpuWeight) files.push(layout.cpuWeight.write(cpuWeight ?? CPU_WEIGHT_NORMAL));
  for (const [file, text] of files) slot.group!.write('cpu', file, text);
  slot.cpuLimits = { ...written, cpuRate, cpuWeight };
}

/** The limits of concurrent programs: none is lifted that one of them was given. */
function mergeConcurrent(written: CpuLimits, limits: CpuLimits): CpuLimits {
  const rates = [written.cpuRate, limits.cpuRate].filter((rate) => rate !== null);
  return {
    cpuRate: rates.length === 0 ? null : Math.min(...rates),
    cpuWeight: limits.cpuWeight ?? written.cpuWeight,
    cpuSet: limits.cpuSet ?? written.cpuSet,
  };
}

/** v1: the program joins a group other than the sandbox's own, which it leaves by ending. */
async function joinCpuSet(core: EngineCore, slot: Slot, cpus: readonly number[]): Promise<number[]> {
  slot.cpuSetGroup ??= await core.tree!.makeCpuSet();
  writeCpuSet(slot.cpuSetGroup, cpus.join(','));
  return slot.cpuSetGroup.joins;
}

function writeCpuSet(group: Group, cpus: string): void {
  try {
    group.write('cpuset', 'cpuset.cpus', cpus);
  } catch (cause) {
    throw new PermissionError({
      layer: 'cgroup',
      message: `The CPU set ${cpus} was refused by the cgroup.`,
      hint: 'Name CPUs that the machine and the cgroup above have.',
      cause,
    });
  }
}
