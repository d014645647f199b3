/** An entry of the catalogue; its cases and scenario are the harness's business. */
export interface Entry {
  id: number;
  group: 'A' | 'B' | 'C' | 'D' | 'E' | 'F' | 'G';
  name: string;
  /** The only acceptable outcome, in words. */
  expected: string;
  /** Left out of the fast set: takes seconds, or the whole machine. */
  slow?: boolean;
}
export declare const ENTRIES: readonly Entry[];
export declare const GROUPS: Readonly<Record<Entry['group'], string>>;
