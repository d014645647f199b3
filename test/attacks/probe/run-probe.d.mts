/** Subject → outcome, as the prober printed them. */
export type Rows = Map<string, string>;
/** By "profile, kind of start". */
export declare function runProbe(chosen?: {
  profiles?: readonly string[];
  starts?: readonly string[];
}): Promise<Map<string, Rows>>;
