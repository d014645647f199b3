/** Live readings of one program: the counters of its group, less their baseline. */

import {
  baselineOf,
  type GroupCounters,
  readCounters,
  readStartCounters,
  withCache,
} from '../cgroup/counters.js';
import type { Group } from '../cgroup/group.js';
import type { EndedMessage } from '../native/native.js';
import type { LiveUsage } from '../types/limits.js';
import type { ProgramRequest } from './request.js';

const NS_PER_MS = 1e6;
const PAGE_BYTES = 4096;

export class Meter {
  /** Highest readings given: later ones, and the end, may not fall below them. */
  readonly highest = { cpuTimeMs: 0, memoryPeakBytes: 0 };
  readonly #group: Group | null;
  readonly #helperTasks: number;
  readonly #othersCpuNs: () => number;
  #baseline: GroupCounters;
  #isComplete = true;

  /** `cpuBefore`: what the group's CPU counter gave; all that is known unless `notify` asks for more. */
  constructor(
    group: Group | null,
    helperTasks: number,
    { warmStart, notify, concurrency }: ProgramRequest,
    cpuBefore: string | number,
  ) {
    this.#group = group;
    this.#helperTasks = helperTasks;
    this.#othersCpuNs = concurrency?.othersCpuNs ?? (() => 0);
    this.#isComplete = !notify || warmStart !== undefined;
    this.#baseline = warmStart?.baseline ?? (notify ? readStartCounters(group) : baselineOf(cpuBefore));
  }

  /** The program is on its way, and has had no time yet to read files. */
  begin(): void {
    if (this.#isComplete || this.#group === null) return;
    this.#baseline = withCache(this.#group, this.#baseline);
    this.#isComplete = true;
  }

  /** Memory that the group does not count. */
  noteHeld(bytes: number): void {
    this.highest.memoryPeakBytes = Math.max(this.highest.memoryPeakBytes, bytes);
  }

  /** Whether CPU time can be distinguished from that of earlier programs. */
  get measures(): boolean {
    return this.#baseline.cpuNs !== null;
  }

  /** A report in the place of init's: with the CPU time that the group says now, and its own age. */
  complete(ended: EndedMessage, ageMs: number): EndedMessage {
    const cpuNs = this.measures ? this.read(ageMs).cpuTimeMs * NS_PER_MS : null;
    return { ...ended, cpuNs, wallNs: ended.wallNs === 0 ? ageMs * NS_PER_MS : ended.wallNs };
  }

  read(wallTimeMs: number): LiveUsage {
    const now = readCounters(this.#group);
    const own = this.measures ? (less(now.cpuNs, this.#baseline.cpuNs) ?? 0) : 0;
    const cpuNs = Math.max(0, own - this.#othersCpuNs());
    const peak = less(now.memoryPeakBytes, this.#baseline.chargedBytes);
    const held = less(now.memoryBytes, this.#baseline.memoryBytes);
    const { highest } = this;
    highest.cpuTimeMs = Math.max(highest.cpuTimeMs, cpuNs / NS_PER_MS);
    highest.memoryPeakBytes = Math.max(highest.memoryPeakBytes, peak ?? 0);
    return {
      cpuTimeMs: highest.cpuTimeMs,
      wallTimeMs,
      // A living program holds a page at the least; the group's counter is too coarse to show it.
      memoryBytes: held === null ? null : Math.max(PAGE_BYTES, held),
      memoryPeakBytes: peak === null ? null : highest.memoryPeakBytes,
      fileCacheBytes: now.fileCacheBytes,
      processPeakCount: now.tasks === null ? null : Math.max(1, now.tasks - this.#helperTasks),
    };
  }
}

function less(value: number | null, before: number | null): number | null {
  return value === null ? null : Math.max(0, value - (before ?? 0));
}
