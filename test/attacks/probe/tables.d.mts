import type { Rows } from './run-probe.mjs';

/** What the tables depend on: architecture, kernel, cgroup version. */
export declare function machine(): string;
/** Of what a prober printed. */
export declare function rowsOf(text: string): Rows;
/** Lines that make `rows` of `base`. */
export declare function difference(base: Rows, rows: Rows): string[];
/** The committed ones; `null` when nobody has judged this machine. */
export declare function readTables(name?: string): Map<string, Rows> | null;
/** Lines of what is not as committed. */
export declare function unjudged(expected: Map<string, Rows>, tables: Map<string, Rows>): string[];
