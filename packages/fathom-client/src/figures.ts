/** Figures of the wire under the names that results have everywhere here: camelCase, units last. */
import type { ResourceUsage, ServerLoad } from './wire/index.js';

/** What an execution used. A figure that could not be measured is absent. */
export interface ExecutionUsage extends ResourceUsage {
  /** User and system time of the whole tree. */
  cpuTimeMs?: number;
  /** High-water mark of memory, rounded up to MiB. */
  memoryPeakBytes?: number;
  /** @deprecated The wire's name of `cpuTimeMs`. */
  cpu_time_ms?: number;
  /** @deprecated The wire's name of `memoryPeakBytes`, in MiB. */
  peak_memory_mb?: number;
}

/** What a server is busy with. */
export interface Load extends ServerLoad {
  /** Executions that run. */
  activeExecutionCount: number;
  /** Executions that were acknowledged and wait. */
  waitingExecutionCount: number;
  /** @deprecated The wire's name of `activeExecutionCount`. */
  active_executions: number;
  /** @deprecated The wire's name of `waitingExecutionCount`. */
  queue_depth: number;
}

const MIB = 2 ** 20;

export function usageOf(wire: ResourceUsage): ExecutionUsage {
  const { cpu_time_ms: cpuTimeMs, peak_memory_mb: peakMib } = wire;
  return {
    ...(cpuTimeMs === undefined ? {} : { cpuTimeMs }),
    ...(peakMib === undefined ? {} : { memoryPeakBytes: peakMib * MIB }),
    ...wire,
  };
}

export function loadOf(wire: ServerLoad): Load {
  return {
    activeExecutionCount: wire.active_executions,
    waitingExecutionCount: wire.queue_depth,
    ...wire,
  };
}
