/** Living programs of a session, for lists. */
import type { LivingProgram } from '../run/session.js';
import type { LiveUsage } from '../types/limits.js';
import { killProgram } from './kill.js';

/** A program that lived when `sandbox.processes()` was called, whether `run`, `sh` or `spawn` started it. */
export interface ProcessInfo {
  /** Number within its sandbox, as `Process.id`; in the order of their starts. No pid. */
  readonly id: number;
  /** Of its call: `'python3'`. Of `sh` `'/bin/sh'`. */
  readonly file: string;
  /** Of its call, without `file`. */
  readonly args: readonly string[];
  /** Since its start until the list was made, in ms. */
  readonly ageMs: number;
  /**
   * As `Process.kill`: without a signal the end of all of it, with status `killed` for who waits for it. Of
   * one that has ended meanwhile nothing.
   */
  kill(signal?: NodeJS.Signals | number): void;
  /** As `Process.usage`. */
  usage(): LiveUsage;
}

/** Of those that have not ended. */
export function processInfoOf(programs: Iterable<LivingProgram>): ProcessInfo[] {
  return Array.from(programs)
    .filter(([running]) => !running.ended)
    .map(([running, { file, args }]) => ({
      id: running.id,
      file,
      args,
      ageMs: running.ageMs(),
      kill: (signal) => killProgram(running, signal),
      usage: () => running.usage(),
    }));
}
