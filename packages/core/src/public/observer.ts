/** Runs as servers report them to a live view. Nothing in core calls it; servers share this one contract. */

import type { LiveUsage } from '../types/limits.js';
import type { FileCalls } from './file-calls.js';

/** Is called when a run of a server starts and ends. Calls must return at once and must not throw. */
export interface RunObserver {
  /**
   * A program whose output is streamed runs now. `id` is its client's; `usage` reads its counters, also after
   * the end. `files` reaches those of its sandbox until then; absent where that is on another machine, or the
   * protocol gives no access.
   */
  onStart(id: string, usage: () => LiveUsage, files?: FileCalls): void;
  /** A run has ended. `id` is empty where its client gave none. */
  onEnd(ending: RunEnding): void;
}

/** How a run ended, for a live view. */
export interface RunEnding {
  /** As its client chose it, or empty. */
  id: string;
  /** In the words of the protocol. */
  status: string;
  /** From the request to the end, waiting included, in ms. */
  latencyMs: number;
}
