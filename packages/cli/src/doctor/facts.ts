/** What there is to know about the machine, read once. No judgement here; that is `checks.ts`. */
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { release } from 'node:os';
import { availableCpus } from '@sbx/core';
import { machineMemoryBytes } from '@sbx/serving';
import { type CgroupFacts, cgroupFacts, type Read } from './cgroup-facts.js';

export interface Facts {
  platform: string;
  arch: string;
  /** Version of glibc; `null`: another C library (musl), or not known. */
  glibc: string | null;
  node: string;
  kernel: string;
  uid: number;
  /** Of this process; `null`: not known. */
  hasSysAdmin: boolean | null;
  /** Sysctls; `null`: this kernel has not got it. */
  maxUserNamespaces: number | null;
  unprivilegedUsernsClone: number | null;
  apparmorRestrictsUserns: number | null;
  /** Mode of this process (2: a filter of a container runtime), and whether the kernel can filter at all. */
  seccompMode: number | null;
  canFilterSyscalls: boolean;
  /** Name of the container runtime around us, as far as it shows; `null`: none seen. */
  container: string | null;
  /** systemd is the init of this machine. */
  hasSystemd: boolean;
  swapBytes: number;
  /** Of the machine, or of the container around us, whichever is less. */
  memoryBytes: number;
  /** As many programs run at once. */
  cpus: number;
  /** Where the kernel sends core dumps; `null`: not known. */
  corePattern: string | null;
  /** What the kernel starts to load a module; `null`: it has none to load. */
  moduleLoader: string | null;
  cgroup: CgroupFacts;
}

export function readFacts(read: Read = readText): Facts {
  const status = read('/proc/self/status') ?? '';
  return {
    platform: process.platform,
    arch: process.arch,
    glibc: glibcVersion(),
    node: process.versions.node,
    kernel: release(),
    uid: process.geteuid?.() ?? -1,
    hasSysAdmin: hasCapability(status, CAP_SYS_ADMIN),
    maxUserNamespaces: numberIn(read, '/proc/sys/user/max_user_namespaces'),
    unprivilegedUsernsClone: numberIn(read, '/proc/sys/kernel/unprivileged_userns_clone'),
    apparmorRestrictsUserns: numberIn(read, '/proc/sys/kernel/apparmor_restrict_unprivileged_userns'),
    seccompMode: numberOr(/^Seccomp:\s*(\d+)$/m.exec(status)?.[1]),
    canFilterSyscalls: /\berrno\b/.test(read('/proc/sys/kernel/seccomp/actions_avail') ?? ''),
    container: containerName(read),
    hasSystemd: existsSync('/run/systemd/system'),
    swapBytes: Number(/^SwapTotal:\s*(\d+) kB$/m.exec(read('/proc/meminfo') ?? '')?.[1] ?? 0) * 1024,
    memoryBytes: machineMemoryBytes(),
    cpus: availableCpus(),
    corePattern: read('/proc/sys/kernel/core_pattern')?.trim() ?? null,
    moduleLoader: read('/proc/sys/kernel/modprobe')?.trim() ?? null,
    cgroup: cgroupFacts(read, isWritable),
  };
}

const CAP_SYS_ADMIN = 21n;

function hasCapability(status: string, capability: bigint): boolean | null {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1];
  return effective === undefined ? null : ((BigInt(`0x${effective}`) >> capability) & 1n) === 1n;
}

function glibcVersion(): string | null {
  const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } } | undefined;
  return report?.header?.glibcVersionRuntime ?? null;
}

/** Runtimes leave one of these traces. */
function containerName(read: Read): string | null {
  const named = /(?:^|\0)container=([^\0]+)/.exec(read('/proc/1/environ') ?? '')?.[1];
  if (named !== undefined) return named;
  if (process.env.KUBERNETES_SERVICE_HOST !== undefined) return 'kubernetes';
  if (existsSync('/.dockerenv')) return 'docker';
  if (existsSync('/run/.containerenv')) return 'podman';
  const version = read('/proc/version') ?? '';
  if (/microsoft/i.test(version)) return 'wsl';
  return /\bgVisor\b/i.test(version) ? 'gvisor' : null;
}

function numberIn(read: Read, path: string): number | null {
  return numberOr(read(path)?.trim());
}

function numberOr(text: string | undefined): number | null {
  return text === undefined || !/^\d+$/.test(text) ? null : Number(text);
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null; // a missing file is a fact as well
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
