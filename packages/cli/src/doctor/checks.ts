/** Facts → requirements. One function per row; the wording of why and fix stands beside the rule. */
import { DEFAULT_LIMITS } from '@sbx/core';
import { delegationCommand } from './delegation.js';
import type { Facts } from './facts.js';
import type { Check, Trial } from './types.js';

const NODE_FLOOR = [20, 19];
const ARCHES = ['x64', 'arm64'];
const GLIBC_FLOOR = [2, 28];
const MIB = 2 ** 20;
const PROGRAM_BYTES = DEFAULT_LIMITS.memoryBytes!;
/** The helper of each sandbox has two of its own, Node.js and the engine some dozen. */
const [PROGRAM_TASKS, HOST_TASKS] = [DEFAULT_LIMITS.processCount! + 2, 32];
/** `mount_setattr`, the youngest system call that the helper cannot do without. */
const KERNEL_FLOOR = [5, 12];

/** All rows but those of the features, in the order of the layers. */
export function machineChecks(facts: Facts, trial: Trial): Check[] {
  const system = [platform, node, kernel, native, capability, userNamespaces, usernsClone, apparmor, seccomp];
  const bounds = [coreDumps, moduleLoader, cgroup, cgroupWritable, swap, memory, processes, container];
  return [...system, ...bounds].flatMap((row) => row(facts, trial) ?? []);
}

type Row = (facts: Facts, trial: Trial) => Check | null;

const platform: Row = ({ platform: name, arch, glibc }) => ({
  id: 'platform',
  layer: 'platform',
  title: 'Linux on x64 or arm64, with glibc 2.28 or newer, or musl',
  required: true,
  state:
    name === 'linux' && ARCHES.includes(arch) && (glibc === null || isAtLeast(glibc, GLIBC_FLOOR))
      ? 'ok'
      : 'missing',
  found: `${name} ${arch}${glibc === null ? '' : `, glibc ${glibc}`}`,
  why: 'The sandbox is made of namespaces and cgroups of Linux, by a helper that comes as a binary.',
  fix: 'Run it on such a machine, or in a virtual machine.',
});

const node: Row = ({ node: version }) => ({
  id: 'node',
  layer: 'platform',
  title: 'Node.js 20.19 or newer',
  required: true,
  state: isAtLeast(version, NODE_FLOOR) ? 'ok' : 'missing',
  found: version,
  why: 'Older ones lack parts of the runtime that the library uses.',
  fix: 'Install a newer Node.js: https://nodejs.org/en/download',
});

const kernel: Row = ({ kernel: version }) => ({
  id: 'kernel',
  layer: 'kernel',
  title: `Linux ${KERNEL_FLOOR.join('.')} or newer`,
  required: true,
  state: isAtLeast(version, KERNEL_FLOOR) ? 'ok' : 'missing',
  found: version,
  why: 'The root of a sandbox is built by mount calls of that version, which never look a path up twice.',
  fix: 'Upgrade the kernel.',
});

const native: Row = (_facts, trial) => {
  const error =
    trial.kind === 'refused' && codeOf(trial.error) === 'SBX_NATIVE_UNAVAILABLE' ? trial.error : null;
  return {
    id: 'native',
    layer: 'native',
    title: 'Native addon and helper load',
    required: true,
    state: error === null ? 'ok' : 'missing',
    found: error?.message ?? 'loaded',
    why: 'They make the namespaces and enforce the limits.',
    fix: 'Install @sbx/core anew; in a checkout: npm run setup',
  };
};

const capability: Row = ({ uid, hasSysAdmin }) => {
  if (uid !== 0) return null;
  return {
    id: 'sys-admin',
    layer: 'capability',
    title: 'CAP_SYS_ADMIN, when run as root',
    required: false,
    state: hasSysAdmin === null ? 'unknown' : hasSysAdmin ? 'ok' : 'missing',
    found: hasSysAdmin ? 'present' : 'dropped',
    why: 'With it each sandbox has a user of its own; without it all is done in a user namespace, as for ordinary users. Containers drop it.',
    fix: 'Docker: --cap-add SYS_ADMIN.',
  };
};

const userNamespaces: Row = ({ maxUserNamespaces }) => ({
  id: 'user-namespaces',
  layer: 'sysctl',
  title: 'User namespaces are allowed',
  required: true,
  state: maxUserNamespaces === null ? 'unknown' : maxUserNamespaces > 0 ? 'ok' : 'missing',
  found: `user.max_user_namespaces = ${maxUserNamespaces ?? 'not there'}`,
  why: 'Each sandbox is a user namespace of its own, so that root inside is nobody outside.',
  fix: 'sysctl -w user.max_user_namespaces=15000',
  command: 'sudo sysctl -w user.max_user_namespaces=15000',
});

const usernsClone: Row = ({ uid, unprivilegedUsernsClone: value }) => {
  if (value === null) return null;
  return {
    id: 'unprivileged-userns-clone',
    layer: 'sysctl',
    title: 'Ordinary users may make user namespaces',
    required: uid !== 0,
    state: value === 1 || uid === 0 ? 'ok' : 'missing',
    found: `kernel.unprivileged_userns_clone = ${value}${uid === 0 ? ', and this is root' : ''}`,
    why: 'Debian and Arch kernels can forbid it to all but root.',
    fix: 'sysctl -w kernel.unprivileged_userns_clone=1',
    command: 'sudo sysctl -w kernel.unprivileged_userns_clone=1',
  };
};

const apparmor: Row = ({ uid, apparmorRestrictsUserns: value }) => {
  if (value === null) return null;
  return {
    id: 'apparmor-userns',
    layer: 'apparmor',
    title: 'AppArmor lets ordinary users use user namespaces',
    required: uid !== 0,
    state: value === 0 || uid === 0 ? 'ok' : 'missing',
    found: `kernel.apparmor_restrict_unprivileged_userns = ${value}${uid === 0 ? ', and this is root' : ''}`,
    why: 'Ubuntu gives a namespace without rights to programs that have no profile with "userns".',
    fix: 'sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or a profile for node with "userns,"',
    command: 'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0',
  };
};

const seccomp: Row = ({ canFilterSyscalls, seccompMode }) => ({
  id: 'seccomp',
  layer: 'seccomp',
  title: 'The kernel can filter system calls',
  required: true,
  state: canFilterSyscalls ? 'ok' : 'unknown',
  found: `${canFilterSyscalls ? 'filters with errno' : 'not told'}${seccompMode === 2 ? '; this process is filtered itself' : ''}`,
  why: 'System calls that namespaces do not cover are refused to programs.',
  fix: 'Use a kernel with CONFIG_SECCOMP_FILTER, and mount /proc.',
});

/** Since this version a core_pattern may name a socket, and dumps to it look at no limit. */
const CORE_SOCKET_KERNEL = [6, 16];

const coreDumps: Row = ({ corePattern, kernel: version }) => {
  if (corePattern === null) return null;
  const isUnbounded = corePattern.startsWith('@') && isAtLeast(version, CORE_SOCKET_KERNEL);
  return {
    id: 'core-dumps',
    layer: 'sysctl',
    title: 'Core dumps of programs go nowhere',
    required: false,
    state: isUnbounded ? 'missing' : 'ok',
    found: `kernel.core_pattern = ${corePattern}`,
    why: 'A dump to a socket ignores the limit on its size (RLIMIT_CORE), so each crash of a program keeps a service of this machine busy.',
    command: 'sudo sysctl -w kernel.core_pattern=core',
    fix: "sysctl -w kernel.core_pattern=core, or a pattern with a pipe ('|/usr/lib/systemd/systemd-coredump …')",
  };
};

/** Since this version it looks for no module when a file has a format that it does not know. */
const KNOWN_FORMATS_KERNEL = [6, 14];

const moduleLoader: Row = ({ moduleLoader: path, kernel: version }) => {
  if (path === null) return null;
  const isStarted = path !== '' && !isAtLeast(version, KNOWN_FORMATS_KERNEL);
  return {
    id: 'module-loader',
    layer: 'sysctl',
    title: 'Programs make the kernel start no process',
    required: false,
    state: isStarted ? 'missing' : 'ok',
    found: `kernel.modprobe = ${path}`,
    why: 'Before Linux 6.14 it runs modprobe, as root and outside of all limits, whenever a program executes a file of a format that it does not know.',
    command: 'echo | sudo tee /proc/sys/kernel/modprobe',
    fix: 'Linux 6.14 or newer; or: echo | sudo tee /proc/sys/kernel/modprobe, once the modules that this machine needs are loaded',
  };
};

const cgroup: Row = ({ cgroup: { version, controllers } }) => {
  const wanted = version === 'v2' ? ['cpu', 'memory', 'pids'] : ['cpuacct', 'memory', 'pids'];
  const missing = wanted.filter((name) => !controllers.includes(name));
  return {
    id: 'cgroup-controllers',
    layer: 'cgroup',
    title: 'Cgroups with CPU, memory and pids controllers',
    required: true,
    state: missing.length === 0 ? 'ok' : 'missing',
    found: `${version}: ${controllers.join(' ') || 'no controllers'}${missing.length > 0 ? `, without ${missing.join(' ')}` : ''}`,
    why: 'They bound and measure memory, processes and CPU time of all processes of a program together.',
    fix:
      version === 'v2'
        ? 'Run in a delegated group: systemd-run --user --scope -p Delegate=yes -- COMMAND; as root the engine turns controllers on itself.'
        : 'Boot with the controllers on (Debian: cgroup_enable=memory), or with systemd.unified_cgroup_hierarchy=1.',
  };
};

const cgroupWritable: Row = (facts) => {
  const { version, folders, unwritable } = facts.cgroup;
  if (version === 'none') return null;
  const first = unwritable[0];
  return {
    id: 'cgroup-writable',
    layer: 'cgroup',
    title: 'Groups can be made in our own cgroup',
    required: true,
    state: first === undefined ? 'ok' : 'missing',
    found: first === undefined ? (folders[0] ?? '') : `${first} is read-only or not ours`,
    why: 'Each sandbox has a group of its own below it.',
    fix: 'As a user: systemd-run --user --scope -p Delegate=yes -- COMMAND. In Docker: --security-opt writable-cgroups=true, or --privileged.',
    command: delegationCommand(facts),
  };
};

const swap: Row = ({ swapBytes, cgroup: { hasSwapLimit } }) => ({
  id: 'swap-limit',
  layer: 'cgroup',
  title: 'Swap can be bounded, or there is none',
  required: false,
  state: swapBytes === 0 || hasSwapLimit === true ? 'ok' : hasSwapLimit === null ? 'unknown' : 'missing',
  found:
    swapBytes === 0
      ? 'no swap'
      : `${Math.round(swapBytes / 2 ** 20)} MiB of swap, ${hasSwapLimit ? 'bounded' : 'not bounded'}`,
  why: 'Otherwise a program over its memory limit swaps instead of being stopped.',
  fix: 'Boot with swapaccount=1, use cgroup v2, or: swapoff -a',
  command: 'sudo swapoff -a',
});

const memory: Row = ({ memoryBytes, cpus }) => {
  const mib = (bytes: number) => Math.floor(bytes / MIB);
  const needed = cpus * PROGRAM_BYTES;
  const fitting = Math.max(1, Math.floor(memoryBytes / PROGRAM_BYTES));
  return {
    id: 'memory',
    layer: 'container',
    title: 'Memory for one program at its default limit on each CPU',
    required: false,
    state: memoryBytes >= needed ? 'ok' : 'missing',
    found: `${mib(memoryBytes)} MiB for ${cpus} of ${mib(PROGRAM_BYTES)} MiB`,
    why: 'Where memory runs out above the sandboxes, the kernel kills a program that is within its own limit, and the run fails with SBX_HOST_MEMORY.',
    fix: `Give the machine or container ${mib(needed)} MiB and what the host process needs, run fewer at once (--parallelism ${fitting}), or set lower limits.`,
  };
};

const processes: Row = ({ cpus, cgroup: { tasksMax } }) => {
  const needed = HOST_TASKS + cpus * PROGRAM_TASKS;
  const fitting = Math.max(1, Math.floor(((tasksMax ?? 0) - HOST_TASKS) / PROGRAM_TASKS));
  return {
    id: 'processes',
    layer: 'container',
    title: 'Processes for one program at its default limit on each CPU',
    required: false,
    state: tasksMax === null || tasksMax >= needed ? 'ok' : 'missing',
    found: tasksMax === null ? 'no bound around us' : `pids.max = ${tasksMax}, of ${needed}`,
    why: 'Where they run out above the sandboxes, fork fails in a program that is within its own limit, which shows in no result.',
    fix: `Allow the container ${needed} (Docker: --pids-limit ${needed}; Kubernetes: podPidsLimit of the kubelet), run fewer at once (--parallelism ${fitting}), or set lower limits.`,
  };
};

const container: Row = ({ container: name }) => ({
  id: 'container',
  layer: 'container',
  title: 'Not limited by a container around us',
  required: false,
  state: 'ok',
  found: name ?? 'no container seen',
  why: 'A container may drop capabilities, filter system calls, mask /proc and mount cgroups read-only; the rows above show it.',
  fix: null,
});

function isAtLeast(version: string, [major, minor]: readonly number[]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map((part) => Number.parseInt(part, 10));
  return ownMajor > major! || (ownMajor === major! && ownMinor >= minor!);
}

function codeOf(error: Error): string {
  return (error as { code?: string }).code ?? '';
}
