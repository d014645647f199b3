import type { Rows } from './run-probe.mjs';

export declare const BUBBLEWRAP: string;
export declare function hasBubblewrap(): boolean;
/** Rows of the prober under a peer, of which `file` is the binary. */
export declare function runBeside(name: string, file: string): Promise<Rows>;
