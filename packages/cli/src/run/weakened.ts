/** What was enforced less well than asked, for people: each reason once. */
import type { RunResult } from '@sbx/core';

type Degraded = RunResult['degraded'];

/**
 * A line for each reason, with all that it weakens. A reason that only adds to another one, as what is done
 * instead, stands behind that in parentheses.
 */
export function weakenedLines(degraded: Degraded): string[] {
  const reasons = [...new Set(degraded.map(({ reason }) => reason))];
  const baseOf = (reason: string) => reasons.find((other) => reason.startsWith(`${other}; `)) ?? reason;
  return reasons
    .filter((reason) => baseOf(reason) === reason)
    .map((base) => {
      const all = degraded.filter(({ reason }) => baseOf(reason) === base);
      const more = all
        .filter(({ reason }) => reason !== base)
        .map(({ feature, reason }) => `${feature}: ${reason.slice(base.length + 2)}`);
      const features = all.map(({ feature }) => feature).join(', ');
      return `${features}: ${base}${more.length === 0 ? '' : ` (${more.join('; ')})`}`;
    });
}
