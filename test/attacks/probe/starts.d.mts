export declare const FAST: { profiles: readonly string[]; starts: readonly string[] };
