/**
 * A bound for all that one program's files bring out of its sandbox together: names of one file and holes
 * cost it nothing, and us memory.
 */
import type { Stats } from 'node:fs';

/**
 * A file that is copied out costs this at least: its entry, its descriptor, its place in a result. Of outputs
 * there are few.
 */
const FILE_BYTES_MIN = 4096;
/** A file that is copied with its holes still has to be read through. */
const HOLE_SHARE = 4;
const BLOCK_BYTES = 512;

/** Bytes left of `copyOutTotalBytes`. */
export class CopyOutBudget {
  #left: number;

  constructor(totalBytes: number = Number.POSITIVE_INFINITY) {
    this.#left = totalBytes;
  }

  /** So much of a file may come into memory. */
  get leftBytes(): number {
    return Math.max(0, this.#left);
  }

  /** Of an output whose content is in memory now. */
  chargeOutput(bytes: number): void {
    this.#left -= bytes;
  }

  /** Of a file whose content is in memory now. */
  chargeFile(bytes: number): void {
    this.#left -= Math.max(bytes, FILE_BYTES_MIN);
  }

  /**
   * The first bytes of a file whose descriptor is handed on; false, and nothing charged, when they do not
   * fit.
   */
  chargeOpenFile(
    { size, blocks }: Pick<Stats, 'size' | 'blocks'>,
    maxBytes: number,
    minBytes = FILE_BYTES_MIN,
  ): boolean {
    const wanted = Math.min(size, maxBytes);
    const bytes = Math.max(minBytes, wanted / HOLE_SHARE, Math.min(wanted, blocks * BLOCK_BYTES));
    if (bytes > this.leftBytes) return false;
    this.#left -= bytes;
    return true;
  }
}

/** Of programs without a bound. */
export const NO_BOUND = new CopyOutBudget();
