/**
 * The properties of a sandbox that are fixed when it is made, from the options of a run and of its engine.
 */
import type { PrepareMessage } from '../native/native.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { EngineOptions } from '../types/engine.js';

/** Equal keys are interchangeable. */
export interface SandboxSpec extends PrepareMessage {
  key: string;
  /** Spec of the sandbox that the slot makes after this one; set where this one serves a single request. */
  nextSpec?: SandboxSpec;
}

/**
 * Of a file system without a bound tmpfs does not tell how much is in it, which init adds up where no cgroup
 * does.
 */
const NO_DISK_LIMIT_BYTES = Number.MAX_SAFE_INTEGER;

let created = 0;

/** The spec of a sandbox that is made on demand: no ready sandbox has its key. */
export function onDemand(spec: SandboxSpec): SandboxSpec {
  created += 1;
  return { ...spec, key: `${spec.key}:${created}`, nextSpec: spec };
}

export function diskOf(limits: ResolvedLimits): { diskBytes: number; diskFileCount: number } {
  // 0 is no limit for tmpfs; the top folder takes one place of its own.
  const diskFileCount = limits.diskFileCount === null ? 0 : limits.diskFileCount + 1;
  return { diskBytes: limits.diskBytes ?? NO_DISK_LIMIT_BYTES, diskFileCount };
}

export function makeSandboxSpec(parts: Omit<SandboxSpec, 'key'>): SandboxSpec {
  const { loopback, strict, seccompKill, terminal, diskBytes, diskFileCount } = parts;
  const flags =
    Number(loopback) | (Number(strict) << 1) | (Number(seccompKill) << 2) | (Number(terminal) << 3);
  return { key: `${flags}:${diskBytes}:${diskFileCount}`, ...parts };
}

/** Whether a sandbox has the strict filter: a run's own word counts before the engine's. */
export function isStrict(ofEngine: EngineOptions['seccomp'], ofRun?: 'default' | 'strict'): boolean {
  const base = typeof ofEngine === 'object' ? ofEngine.base : ofEngine;
  return (ofRun ?? base) === 'strict';
}

/** Whether the filter of a sandbox may answer a call with SIGSYS: its own policy, or one of the caller's. */
export function filterMayKill({ seccomp }: EngineOptions, spec: { seccompKill: boolean }): boolean {
  return spec.seccompKill || typeof seccomp === 'object';
}
