// Facts of the machine, and how much of it was used.
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, release } from 'node:os';
import { delimiter, join } from 'node:path';

function cgroupVersion() {
  if (existsSync('/sys/fs/cgroup/cgroup.controllers')) return 'v2';
  const mounts = readFileSync('/proc/self/mounts', 'utf8');
  const v1 = / cgroup /.test(mounts);
  if (v1 && / cgroup2 /.test(mounts)) return 'hybrid';
  return v1 ? 'v1' : 'none';
}

export function machineFacts() {
  return {
    node: process.version,
    kernel: release(),
    cgroup: cgroupVersion(),
    cpus: availableParallelism(),
  };
}

/**
 * CPU time that all CPUs have spent on anything but idling since boot, in ms; the kernel counts in ticks of
 * 10 ms.
 */
export function machineCpuMs() {
  const [, user, nice, system, , , irq, softirq] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/)
    .map(Number);
  return (user + nice + system + irq + softirq) * 10;
}

export function findOnPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path)) ?? null;
}
