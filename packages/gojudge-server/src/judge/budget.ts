/**
 * What the results of one request may bring out of its sandboxes together: into the answer and into the
 * store.
 */

import type { Job } from './job.js';
import type { Settings } from './settings.js';

/**
 * A file that is copied out costs this at least: its entry in the answer or in the store. Of outputs there
 * are few.
 */
export const FILE_BYTES_MIN = 4096;

export class RequestBudget {
  readonly totalBytes: number;
  #left: number;

  constructor({ copyOutTotalBytes }: Pick<Settings, 'copyOutTotalBytes'>) {
    this.totalBytes = copyOutTotalBytes;
    this.#left = copyOutTotalBytes;
  }

  /** False, and nothing charged, when it does not fit. */
  charge(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }
}

/** What one program may bring into this process: an equal share, since all of a request may end at once. */
export function shareOf(
  { programs }: Job,
  { copyOutTotalBytes }: Pick<Settings, 'copyOutTotalBytes'>,
): number {
  return Math.floor(copyOutTotalBytes / Math.max(1, programs.length));
}

/** Names the flag, since only the operator can do something about it. */
export function budgetText(what: string, sizeBytes: number, totalBytes: number): string {
  return `${what} size (${sizeBytes}) exceeds what is left of all a request may copy out (${totalBytes}, -copy-out-total)`;
}
