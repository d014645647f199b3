/** What every call takes. */
import { checkOptions, type OptionRules, SIGNAL } from './option-check.js';

/** Options of a single call. */
export interface CallOptions {
  /** Abort ends the call and drops its connection, which kills a run. */
  signal?: AbortSignal | undefined;
}

export const CALL_RULES: OptionRules<CallOptions> = { signal: SIGNAL };

/** Throws `GOJUDGE_REQUEST`. */
export function checkCall(options: CallOptions): void {
  checkOptions('options', options, CALL_RULES);
}
