/** A program that was cancelled before it had begun; told as go-judge tells it, which always begins. */
import type { JobProgram } from './job.js';
import { nothingCollected, notStarted, type ProgramResult } from './program-result.js';
import { collectorsOf } from './stdio.js';

const NOTHING = new Uint8Array(0);

export function killedAtOnce(program: JobProgram): ProgramResult {
  const { limits, cachedNames } = program;
  const status = limits.explicitClockNs > 0 ? 'Signalled' : 'Time Limit Exceeded';
  const collected = nothingCollected();
  for (const { name } of collectorsOf(program)) {
    if (!cachedNames.has(name)) collected.files.set(name, NOTHING);
  }
  return { ...notStarted(status, '', collected), exitStatus: 9 };
}
