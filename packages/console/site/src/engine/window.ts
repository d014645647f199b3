/** Rates and counts of the last minutes, from counters that only grow. */
import { type FiguresMessage, LATENCY_BOUNDS_MS, type ProtocolFigures } from '@sbx/console/wire';

export interface Rates {
  startedPerSecond: number;
  /** 1 is one CPU; `null` where nothing counts it. */
  cpus: number | null;
}

/** Between two messages. */
export function ratesOf(before: FiguresMessage | undefined, now: FiguresMessage): Rates {
  if (before === undefined || now.atMs <= before.atMs) return { startedPerSecond: 0, cpus: null };
  const ms = now.atMs - before.atMs;
  const started = now.engine.startedTotal - before.engine.startedTotal;
  const cpu = (now.usage.cpuTimeMs ?? Number.NaN) - (before.usage.cpuTimeMs ?? Number.NaN);
  return { startedPerSecond: (started * 1000) / ms, cpus: Number.isNaN(cpu) ? null : cpu / ms };
}

/** Runs that ended within the window, by status, the most frequent first. */
export function endedWithin(first: ProtocolFigures | undefined, last: ProtocolFigures): [string, number][] {
  return Object.entries(last.endedByStatus)
    .map(([status, count]): [string, number] => [status, count - (first?.endedByStatus[status] ?? 0)])
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a);
}

/** The histogram of the window: label and count, without empty ends. */
export function latenciesWithin(
  first: ProtocolFigures | undefined,
  last: ProtocolFigures,
): [string, number][] {
  const rows = last.latencyCounts.map((count, at): [string, number] => {
    const bound = LATENCY_BOUNDS_MS[at];
    const label = bound === undefined ? `> ${LATENCY_BOUNDS_MS.at(-1)} ms` : `≤ ${bound} ms`;
    return [label, count - (first?.latencyCounts[at] ?? 0)];
  });
  const from = rows.findIndex(([, count]) => count > 0);
  const to = rows.findLastIndex(([, count]) => count > 0);
  return from < 0 ? [] : rows.slice(from, to + 1);
}
