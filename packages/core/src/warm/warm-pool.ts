/** The warm processes of one family (`StandbyFamily`), and the launch specs that they are started for. */

import type { StandbyCounters } from '../types/standby.js';
import type { LaunchSpec } from './launch-spec.js';
import { nextLaunchSpec, RECENT_MAX, weakest } from './shares.js';
import type { WarmProcess } from './warm-process.js';

/** Memory that a warm process is assumed to hold until one has been measured. */
const ESTIMATE_BYTES = 64 * 2 ** 20;
const RETRY_FIRST_MS = 1000;
const RETRY_MAX_MS = 30_000;

export class WarmPool {
  readonly members = new Set<WarmProcess>();
  readonly totals = { warm: 0, cold: 0, lost: 0, started: 0 };
  count: number;
  warmUpFiles: Readonly<Record<string, string>>;
  /** Why none could be started last; `null` when one could. */
  reason: string | null = null;
  #recent: LaunchSpec[];
  #failures = 0;
  #retryAt = 0;
  #estimateBytes = ESTIMATE_BYTES;

  constructor(count: number, launchSpec: LaunchSpec, warmUpFiles: Readonly<Record<string, string>>) {
    this.count = count;
    this.warmUpFiles = warmUpFiles;
    this.#recent = [launchSpec];
  }

  /** Time in ms until the next start may be tried; 0: now. */
  get retryInMs(): number {
    return Math.max(0, this.#retryAt - performance.now());
  }

  /** Bytes that a further warm process is expected to hold. */
  get estimateBytes(): number {
    return this.#estimateBytes;
  }

  get heldBytes(): number {
    let total = 0;
    for (const { memoryBytes } of this.members) total += memoryBytes || this.#estimateBytes;
    return total;
  }

  get starting(): number {
    let count = 0;
    for (const { isWarm } of this.members) count += isWarm ? 0 : 1;
    return count;
  }

  /** Records a request for this launch spec. */
  noteAsked(launchSpec: LaunchSpec): void {
    this.#recent = [...this.#recent, launchSpec].slice(-RECENT_MAX);
  }

  nextLaunchSpec(): LaunchSpec {
    return nextLaunchSpec(this.#recent, [...this.members]);
  }

  /** With a full pool: a warm process whose launch spec is hardly asked for any more. */
  weakest(): WarmProcess | null {
    if (this.members.size < this.count) return null;
    const found = weakest(this.#recent, [...this.members]);
    return found?.isWarm ? found : null;
  }

  /** Acquires a warm process with exactly this launch spec. */
  acquire({ key, limits }: LaunchSpec): WarmProcess | null {
    for (const process of this.members) {
      if (!process.isWarm || process.launchSpec.key !== key || !process.fits(limits)) continue;
      this.members.delete(process);
      return process;
    }
    return null;
  }

  noteReady({ memoryBytes }: WarmProcess): void {
    this.#failures = 0;
    this.reason = null;
    if (memoryBytes > 0) this.#estimateBytes = memoryBytes;
  }

  /** A process could not be started, or ended while it was warm: the next start is delayed. */
  noteLost(process: WarmProcess, reason: string): void {
    this.members.delete(process);
    this.totals.lost += 1;
    this.reason = reason;
    if (this.retryInMs > 0) return; // lost together with another, by one cause
    this.#retryAt = performance.now() + Math.min(RETRY_MAX_MS, RETRY_FIRST_MS * 2 ** this.#failures);
    this.#failures += 1;
  }

  counters(): StandbyCounters {
    let memoryBytes = 0;
    for (const process of this.members) memoryBytes += process.memoryBytes;
    const { starting, totals, reason } = this;
    return { waiting: this.members.size - starting, starting, ...totals, memoryBytes, reason };
  }
}
