/** Figures of the wire under the names that all packages use. The wire's own names are kept as aliases. */
import type { ResourceUsage, ServerLoad } from './wire/index.js';

/** What an execution used. A figure that the server could not measure is absent. */
export interface ExecutionUsage {
  /** User and system time of the whole tree, in ms. */
  cpuTimeMs?: number;
  /** High-water mark in bytes; servers tell it in whole MiB, rounded up. */
  memoryPeakBytes?: number;
  /** @deprecated Use `cpuTimeMs`. */
  readonly cpu_time_ms?: number;
  /** @deprecated Use `memoryPeakBytes`. In MiB. */
  readonly peak_memory_mb?: number;
}

/** How busy a server is. */
export interface Load {
  /** Executions that run. */
  activeExecutions: number;
  /** Executions that were acknowledged and wait. */
  queueDepth: number;
  /** @deprecated Use `activeExecutions`. */
  readonly active_executions: number;
  /** @deprecated Use `queueDepth`. */
  readonly queue_depth: number;
}

const MIB_BYTES = 2 ** 20;

/** As of a result of the wire. */
export function usageOf(usage: ResourceUsage): ExecutionUsage {
  const { cpu_time_ms: cpuTimeMs, peak_memory_mb: peakMib } = usage;
  const figures: ExecutionUsage = {};
  if (cpuTimeMs !== undefined) figures.cpuTimeMs = cpuTimeMs;
  if (peakMib !== undefined) figures.memoryPeakBytes = peakMib * MIB_BYTES;
  return withAliases(figures, { cpu_time_ms: cpuTimeMs, peak_memory_mb: peakMib });
}

/** As of a pong of the wire. */
export function loadOf({ active_executions, queue_depth }: ServerLoad): Load {
  const load = { activeExecutions: active_executions, queueDepth: queue_depth };
  return withAliases(load, { active_executions, queue_depth });
}

/** Who prints or compares the object does not meet them. */
function withAliases<Figures extends object, Aliases extends object>(figures: Figures, aliases: Aliases) {
  for (const [name, value] of Object.entries(aliases)) Object.defineProperty(figures, name, { value });
  return figures as Figures & Aliases;
}
