/**
 * Counters of a protocol, for the live view: sums alone, so that a busy server pays for additions and nothing
 * else.
 */
import { LATENCY_BOUNDS_MS } from '@sbx/console/wire';
import type { RunEnding } from '@sbx/core';

/** A protocol has a dozen of statuses; more would be a defect, and must not grow without end. */
const STATUS_COUNT_MAX = 64;

export class Recorder {
  readonly #byStatus = new Map<string, number>();
  readonly #latencyCounts: number[] = new Array(LATENCY_BOUNDS_MS.length + 1).fill(0);

  count({ status, latencyMs }: Pick<RunEnding, 'status' | 'latencyMs'>): void {
    const isKnown = this.#byStatus.has(status) || this.#byStatus.size < STATUS_COUNT_MAX;
    const name = isKnown ? status : 'other';
    this.#byStatus.set(name, (this.#byStatus.get(name) ?? 0) + 1);
    const at = LATENCY_BOUNDS_MS.findIndex((bound) => latencyMs <= bound);
    this.#latencyCounts[at < 0 ? LATENCY_BOUNDS_MS.length : at]! += 1;
  }

  figures(): { endedByStatus: Record<string, number>; latencyCounts: number[] } {
    return {
      endedByStatus: Object.fromEntries(this.#byStatus),
      latencyCounts: [...this.#latencyCounts],
    };
  }
}
