/** Figures of a run at one moment. */
import type { RunMessage } from '@sbx/console/wire';

const MIB = 2 ** 20;

/** What nobody counts, or not yet, is `null`: a gap in the plot, and no zero. */
export interface Sample {
  wallTimeMs: number;
  cpuTimeMs: number | null;
  memoryMib: number | null;
}

export function sampleOf({ wallTimeMs, cpuTimeMs, memoryBytes }: RunMessage): Sample {
  return { wallTimeMs, cpuTimeMs, memoryMib: memoryBytes === null ? null : memoryBytes / MIB };
}

/** For who does not see the plot. */
export function samplesInWords(samples: readonly Sample[]): string {
  const last = samples.at(-1);
  if (last === undefined) return 'no samples yet';
  const { wallTimeMs, cpuTimeMs, memoryMib } = last;
  const cpu = cpuTimeMs === null ? 'CPU time not counted' : `${Math.round(cpuTimeMs)} ms of CPU time`;
  const memory = memoryMib === null ? 'memory not counted' : `${memoryMib.toFixed(1)} MiB`;
  return `${samples.length} samples, the last at ${Math.round(wallTimeMs)} ms: ${cpu}, ${memory}`;
}
