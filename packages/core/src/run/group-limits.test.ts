import { expect, it, vi } from 'vitest';
import type { Group } from '../cgroup/group.js';
import { V1, V2 } from '../cgroup/layout.js';
import type { EngineCore } from '../engine/core.js';
import { PermissionError } from '../errors.js';
import { COUNTERS } from '../native/tables.js';
import { DEFAULT_LIMITS, resolveLimits } from '../options/limits.js';
import { type CpuLimits, SlotCgroup } from '../pool/slot-cgroup.js';
import { writeBounds, writeCpuLimits } from './group-limits.js';
import type { SandboxLease } from './sandbox-lease.js';

const NONE: CpuLimits = { cpuRate: null, cpuWeight: null, cpuSet: null };

/** A sandbox whose group notes what is written. `refuses`: a file that the kernel does not take. */
function sandbox({ version = 'v2', alive = 0, available = true, refuses = '' } = {}) {
  const written: string[] = [];
  const layout = {
    version,
    cpuRate: { write: (rate: number | null) => [['cpu.max', `${rate}`]] },
    cpuWeight: { write: (weight: number) => ['cpu.weight', `${weight}`] },
  };
  const groupOf = (name: string) => ({
    layout,
    joins: [7],
    write: (_: string, file: string, text: string) => {
      if (file === refuses) throw new Error('EINVAL');
      written.push(`${name}${file}=${text}`);
    },
  });
  const cgroup = { group: groupOf(''), cpuLimits: NONE, cpuSetGroup: null as unknown };
  const core = {
    tree: { layout, allCpus: () => '0-3', makeCpuSet: async () => groupOf('set/') },
    features: { 'cpu-rate': { available }, 'cpu-set': { available } },
  } as unknown as EngineCore;
  return { lease: { core, alive, slot: { cgroup } } as unknown as SandboxLease, cgroup, written };
}

it('writes what differs from what is in force, once', () => {
  const { lease, written } = sandbox();
  const limits = { cpuRate: 0.5, cpuWeight: null, cpuSet: [0, 1] };
  expect(writeCpuLimits(lease, NONE)).toBeUndefined();
  void writeCpuLimits(lease, limits);
  void writeCpuLimits(lease, limits);
  expect(written).toEqual(['cpu.max=0.5', 'cpuset.cpus=0,1']);
  void writeCpuLimits(lease, NONE);
  expect(written.slice(2)).toEqual(['cpu.max=null', 'cpuset.cpus=0-3']);
});

it('lifts no limit of a program that lives', () => {
  const { lease, cgroup, written } = sandbox({ alive: 1 });
  cgroup.cpuLimits = { cpuRate: 0.5, cpuWeight: 50, cpuSet: [1] };
  void writeCpuLimits(lease, { cpuRate: 2, cpuWeight: null, cpuSet: null });
  expect(written).toEqual([]);
  void writeCpuLimits(lease, { cpuRate: 0.25, cpuWeight: null, cpuSet: null });
  expect(written).toEqual(['cpu.max=0.25']);
});

it('with v1 a program joins a group of its own for a set of CPUs', async () => {
  const { lease, written } = sandbox({ version: 'v1' });
  expect(await writeCpuLimits(lease, { ...NONE, cpuSet: [2] })).toEqual([7]);
  expect(written).toEqual(['set/cpuset.cpus=2']);
});

it('leaves to `degraded` what the machine cannot keep, and has no group to write to', () => {
  const { lease, written } = sandbox({ available: false });
  const limits = { cpuRate: 0.5, cpuWeight: 10, cpuSet: [0] };
  expect(writeCpuLimits(lease, limits)).toBeUndefined();
  const without = { core: { tree: null }, slot: { cgroup: {} } } as unknown as SandboxLease;
  expect(writeCpuLimits(without, limits)).toBeUndefined();
  expect(written).toEqual([]);
});

it('a set that the kernel refuses is told by its text', () => {
  const { lease } = sandbox({ refuses: 'cpuset.cpus' });
  const write = () => writeCpuLimits(lease, { ...NONE, cpuSet: [900] });
  expect(write).toThrow(PermissionError);
  expect(write).toThrow('The CPU set 900 was refused by the cgroup.');
  expect(write).toThrow(expect.objectContaining({ details: expect.objectContaining({ isLimit: true }) }));
});

it('a rate that the kernel refuses is told by its number', () => {
  const { lease } = sandbox({ refuses: 'cpu.max' });
  const write = () => writeCpuLimits(lease, { ...NONE, cpuRate: 2 });
  expect(write).toThrow(PermissionError);
  expect(write).toThrow('The CPU rate 2 was refused by the cgroup.');
});

it('programs that ask at once have one group for their sets', async () => {
  const { lease } = sandbox({ version: 'v1', alive: 2 });
  const makeCpuSet = vi.spyOn(lease.core.tree!, 'makeCpuSet');
  await Promise.all([1, 2, 3].map((cpu) => writeCpuLimits(lease, { ...NONE, cpuSet: [cpu] })));
  expect(makeCpuSet).toHaveBeenCalledTimes(1);
});

it('a group for sets that could not be made is tried again', async () => {
  const { lease } = sandbox({ version: 'v1' });
  vi.spyOn(lease.core.tree!, 'makeCpuSet').mockRejectedValueOnce(new Error('EMFILE'));
  await expect(writeCpuLimits(lease, { ...NONE, cpuSet: [1] })).rejects.toThrow('EMFILE');
  expect(await writeCpuLimits(lease, { ...NONE, cpuSet: [1] })).toEqual([7]);
});

/** A slot's group whose counters note what is written; `refuses`: one that the kernel does not take. */
function bounded(layout: typeof V1, refuses = '') {
  const written: string[] = [];
  const set = (counter: number, text: string) => {
    const name = COUNTERS[counter]!;
    if (name === refuses) throw Object.assign(new Error('EBUSY'), { errno: -16 });
    written.push(`${name}=${text}`);
  };
  const forgetLimits = vi.fn();
  const group = { layout, has: () => true, set };
  const cgroup = Object.assign(new SlotCgroup(null, 0), { group: group as unknown as Group, forgetLimits });
  return { cgroup, written, forgetLimits };
}
const LIMITS = resolveLimits(DEFAULT_LIMITS, { memoryBytes: 2 ** 20, processCount: 5 });

it('bounds of a session are written once, with what the group held before', () => {
  const { cgroup, written } = bounded(V2);
  for (const _ of [1, 2]) writeBounds(cgroup, LIMITS, 4096);
  expect(written).toEqual([`memoryLimit=${2 ** 20 + 4096}`, 'swapLimit=0', 'taskLimit=6']);
});

it.each(['swapLimit', 'socketLimit'])('a bound of %s may be refused: the others hold', (refused) => {
  const { cgroup, written, forgetLimits } = bounded(V1, refused);
  writeBounds(cgroup, LIMITS, 0);
  expect(written).toEqual(expect.arrayContaining([`memoryLimit=${2 ** 20}`, 'taskLimit=7']));
  expect(forgetLimits).not.toHaveBeenCalled();
});

it.each(['memoryLimit', 'taskLimit'] as const)('a bound of %s that is refused is an error', (refused) => {
  const { cgroup, forgetLimits } = bounded(V2, refused);
  const details = {
    code: 'SBX_SANDBOX_SETUP',
    stage: 'cgroupWrite',
    errno: 16,
    index: COUNTERS.indexOf(refused),
  };
  expect(() => writeBounds(cgroup, LIMITS, 0)).toThrow(expect.objectContaining(details));
  expect(forgetLimits).toHaveBeenCalledOnce();
});

it('a weight that is lifted is the ordinary one, and rates are written only when they change', () => {
  const { lease, written } = sandbox();
  void writeCpuLimits(lease, { ...NONE, cpuWeight: 50 });
  void writeCpuLimits(lease, { ...NONE, cpuWeight: 50 });
  void writeCpuLimits(lease, NONE);
  expect(written).toEqual(['cpu.weight=50', 'cpu.weight=100']);
});
