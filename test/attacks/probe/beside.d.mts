import type { Rows } from './run-probe.mjs';

/** What docs/comparison.md gives no reason for, and reasons for nothing. */
export declare function unexplained(
  peer: string,
  tables: Map<string, Rows>,
  theirs: Rows,
): { rows: string[]; needless: string[] };
/** Rows of `ours` in which something is allowed that `theirs` refuse, or do not have. */
export declare function allowedBeyond(ours: Rows, theirs: Rows): string[];
