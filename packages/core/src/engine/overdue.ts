/**
 * The second bound of real time. Init ends a program at its wall limit by its own timer; should it ever not
 * (stopped, or held up in the kernel), the host does, some seconds late.
 */
import type { ResolvedLimits } from '../options/limits.js';

export interface TimedProgram {
  readonly limits: Pick<ResolvedLimits, 'wallTimeMs'>;
  ageMs(): number;
  endFor(cause: 'wall-limit'): void;
}

/** Beyond the limit. Init's own report of a limit is never this late. */
const SLACK_MS = 2000;

export function endOverdue(programs: Iterable<TimedProgram>): void {
  for (const program of programs) {
    const { wallTimeMs } = program.limits;
    if (wallTimeMs !== null && program.ageMs() > wallTimeMs + SLACK_MS) program.endFor('wall-limit');
  }
}
