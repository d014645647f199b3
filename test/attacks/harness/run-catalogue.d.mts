export interface EntryResult {
  id: number;
  group: string;
  name: string;
  expected: string;
  outcome: string;
  /** `null`: cannot be tried on this machine; `why` says the reason. */
  pass: boolean | null;
  why: string;
}
/** Runs the chosen entries against the chosen targets, those of servers and supervisor against their own. */
export declare function runCatalogue(
  selection: { ids: readonly number[]; targets: readonly ('core' | 'gojudge')[] },
  onEntry?: (result: EntryResult) => void,
): Promise<{ entries: EntryResult[] }>;
