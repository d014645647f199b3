/**
 * Limits that the host writes into the group of a sandbox: CPU rate, weight and set, which hold for all
 * programs that live in it, and the bounds of a session and of a warm process. Init writes the other bounds.
 */
import type { Group } from '../cgroup/group.js';
import type { EngineCore } from '../engine/core.js';
import { PermissionError, SandboxError } from '../errors.js';
import { COUNTERS, type CounterName } from '../native/tables.js';
import { CPU_WEIGHT_NORMAL, type ResolvedLimits } from '../options/limits.js';
import type { CpuLimits, SlotCgroup } from '../pool/slot-cgroup.js';
import { boundGroup } from './plan.js';
import type { SandboxLease } from './sandbox-lease.js';

/** May be refused: it has been reported as not enforced. As in native/addon/link_start.cc. */
const OPTIONAL: readonly CounterName[] = ['swapLimit', 'socketLimit'];

/**
 * Throws what the kernel refused. Nothing is written that is in force. `heldBytes`: what the group held
 * before the program.
 */
export function writeBounds(cgroup: SlotCgroup, limits: ResolvedLimits, heldBytes: number): void {
  const { writeCounters, writeTexts } = boundGroup(cgroup, cgroup.group, limits, heldBytes);
  for (const [i, counter] of writeCounters.entries()) {
    try {
      cgroup.group!.set(counter, writeTexts[i]!);
    } catch (error) {
      if (OPTIONAL.includes(COUNTERS[counter]!)) continue;
      cgroup.forgetLimits();
      throw refusedBound(counter, error as NodeJS.ErrnoException);
    }
  }
}

function refusedBound(index: number, cause: NodeJS.ErrnoException): SandboxError {
  const message = 'The sandbox could not write a cgroup limit';
  const errno = Math.abs(cause.errno ?? 0);
  return new SandboxError({ code: 'SBX_SANDBOX_SETUP', message, stage: 'cgroupWrite', index, errno, cause });
}

/**
 * Writes the limits of the next program and returns the cgroup.procs files that it must enter (v1, for a CPU
 * set). Limits that the machine cannot keep are left to `degraded`. `undefined` when there is nothing to wait
 * for.
 */
export function writeCpuLimits(lease: SandboxLease, limits: CpuLimits): Promise<number[]> | undefined {
  const {
    core,
    slot: { cgroup },
  } = lease;
  if (core.tree === null) return undefined;
  const wanted = lease.alive === 0 ? limits : mergeConcurrent(cgroup.cpuLimits, limits);
  writeCpuShare(core, cgroup, wanted);
  const { cpuSet } = wanted;
  if (!core.features['cpu-set'].available) return undefined;
  if (core.tree.layout.version === 'v1')
    return cpuSet === null ? undefined : joinCpuSet(core, cgroup, cpuSet);
  if (cgroup.cpuLimits.cpuSet === cpuSet) return undefined;
  writeCpuSet(cgroup.group!, cpuSet?.join(',') ?? core.tree.allCpus());
  cgroup.cpuLimits = { ...cgroup.cpuLimits, cpuSet };
  return undefined;
}

/** Rate and weight alone, which a program that has started may be given too. */
export function writeCpuShare(core: EngineCore, cgroup: SlotCgroup, { cpuRate, cpuWeight }: CpuLimits): void {
  if (core.tree === null || !core.features['cpu-rate'].available) return;
  const written = cgroup.cpuLimits;
  if (written.cpuRate === cpuRate && written.cpuWeight === cpuWeight) return; // nearly every run
  const { layout } = cgroup.group!;
  const files: [file: string, text: string][] = [];
  if (written.cpuRate !== cpuRate) files.push(...layout.cpuRate.write(cpuRate));
  if (written.cpuWeight !== cpuWeight) files.push(layout.cpuWeight.write(cpuWeight ?? CPU_WEIGHT_NORMAL));
  const write = () => {
    for (const [file, text] of files) cgroup.group!.write('cpu', file, text);
  };
  const what = written.cpuRate === cpuRate ? `The CPU weight ${cpuWeight}` : `The CPU rate ${cpuRate}`;
  unlessRefused(write, what, 'Ask for no more than the cgroup above has.');
  cgroup.cpuLimits = { ...written, cpuRate, cpuWeight };
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
async function joinCpuSet(core: EngineCore, cgroup: SlotCgroup, cpus: readonly number[]): Promise<number[]> {
  // The promise: another program of the sandbox may ask for it meanwhile.
  cgroup.cpuSetGroup ??= core.tree!.makeCpuSet();
  try {
    const group = await cgroup.cpuSetGroup;
    writeCpuSet(group, cpus.join(','));
    return group.joins;
  } catch (error) {
    if (!(error instanceof PermissionError)) cgroup.cpuSetGroup = null; // the next one tries again
    throw error;
  }
}

function writeCpuSet(group: Group, cpus: string): void {
  const write = () => group.write('cpuset', 'cpuset.cpus', cpus);
  unlessRefused(write, `The CPU set ${cpus}`, 'Name CPUs that the machine and the cgroup above have.');
}

function unlessRefused(write: () => void, what: string, hint: string): void {
  try {
    write();
  } catch (cause) {
    const message = `${what} was refused by the cgroup.`;
    const details = { isLimit: true }; // what was asked for is at fault, and nothing of the machine
    throw new PermissionError({ layer: 'cgroup', message, hint, details, cause });
  }
}
