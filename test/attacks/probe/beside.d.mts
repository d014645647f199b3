import type { Rows } from './run-probe.mjs';

export declare function hasBubblewrap(): boolean;
/** Rows of the prober under bubblewrap. */
export declare function runBubblewrap(): Promise<Rows>;
/** Rows of `ours` in which something is allowed that `theirs` refuse, or do not have. */
export declare function allowedBeyond(ours: Rows, theirs: Rows): string[];
/** The rows that docs/comparison.md gives a reason for. */
export declare function reasons(): RegExp[];
