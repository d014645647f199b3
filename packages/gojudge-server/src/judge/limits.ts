/** A job's limits to the engine's. */
import type { Limits } from '@sbx/core';
import { StartFailure } from '../errors.js';
import type { JobLimits } from './job.js';
import type { Settings } from './settings.js';

const NS_PER_MS = 1e6;
/** Least and most that the engine takes; the verdict follows the request's own figures all the same. */
const TIME_MS_MIN = 0.001;
const TIME_MS_MAX = 9_000_000_000;
const MEMORY_BYTES_MIN = 4096;
const ADDRESS_SPACE_BYTES_MIN = 1_048_576;
const STACK_BYTES_MIN = 131_072;
const PROCESSES_MAX = 4_194_304;
/** 1 ms of the default period. */
const CPU_RATE_MIN = 10;

/** Throws `StartFailure` for what a cgroup refuses. */
export function engineLimits(limits: JobLimits, settings: Settings, workerCpuSet: string | null): Limits {
  const memoryBytes = Math.min(limits.memoryBytes + settings.extraMemoryBytes, Number.MAX_SAFE_INTEGER);
  const withoutGroups = settings.runnerConfig.cgroupType === 0;
  return {
    cpuTimeMs: milliseconds(limits.cpuNs + settings.tickMs * NS_PER_MS),
    wallTimeMs: milliseconds(nextTick(limits.clockNs / NS_PER_MS, settings.tickMs) * NS_PER_MS),
    memoryBytes: Math.max(MEMORY_BYTES_MIN, memoryBytes),
    dataBytes: limits.dataSegment || withoutGroups ? Math.max(MEMORY_BYTES_MIN, memoryBytes) : null,
    addressSpaceBytes: limits.addressSpace ? Math.max(ADDRESS_SPACE_BYTES_MIN, memoryBytes) : null,
    processCount: processCount(limits),
    stackBytes: stackBytes(limits, memoryBytes, settings),
    fileBytes: settings.outputLimitBytes,
    openFileCount: settings.openFileLimit,
    diskBytes: settings.diskBytes,
    diskFileCount: settings.diskFileCount,
    cpuRate: cpuRate(limits, settings),
    cpuSet: limits.cpuSet || workerCpuSet || null,
  };
}

/** The first look at which more than this has passed; without ticks, right then. */
function nextTick(ms: number, tickMs: number): number {
  return tickMs === 0 ? ms : (Math.floor(ms / tickMs) + 1) * tickMs;
}

function milliseconds(ns: number): number {
  return Math.min(TIME_MS_MAX, Math.max(TIME_MS_MIN, ns / NS_PER_MS));
}

function processCount({ processCount: asked }: JobLimits): number {
  if (asked <= PROCESSES_MAX) return Math.max(1, asked);
  throw new StartFailure('execve: cgroup: failed to set process limit: write pids.max: invalid argument');
}

function stackBytes(
  { stackBytes: asked }: JobLimits,
  memoryBytes: number,
  settings: Settings,
): number | null {
  if (asked === 0) return settings.ownStackBytes;
  return Math.max(STACK_BYTES_MIN, Math.min(asked, memoryBytes));
}

function cpuRate({ cpuRate: asked }: JobLimits, settings: Settings): number | null {
  if (!settings.enableCpuRate || asked === 0) return null;
  if (asked >= CPU_RATE_MIN) return Math.min(asked / 1000, 4096);
  throw new StartFailure(
    'execve: cgroup: failed to set cpu rate limit: write cpu.cfs_quota_us: invalid argument',
  );
}
