/** How a program ended and what it left. */
import type { Output } from '../streams/output.js';
import type { FileError, OutputFile } from './files.js';
import type { Degradation, Status, Usage } from './limits.js';

/** How a program ended and what it left. Resolved for everything the program did, good or bad. */
export interface RunResult {
  /** How it ended, in one word: the verdict. */
  status: Status;
  /**
   * Row of the verdict table (docs/limits.md) that decided: `'cpu-limit/record'` when the supervisor killed
   * it, `'cpu-limit/figure'` when its final figures are over, `'cpu-limit/signal'` when only a signal says
   * so, which a program can raise itself.
   */
  evidence: string;
  /** `status === 'ok'`. */
  ok: boolean;
  /** `null` when a signal ended it. */
  exitCode: number | null;
  /**
   * Name of the signal that ended it (`'SIGSEGV'`, `'SIGRTMIN+2'`; see `signalNumber`), `null` when it
   * exited.
   */
  exitSignal: string | null;
  /** What it wrote there: bytes, and `text()`. Empty unless it was captured or collected. */
  stdout: Output;
  /** As `stdout`. */
  stderr: Output;
  /** Captured and collected outputs of descriptors given in `fds`, by number. */
  outputs: Record<number, Output>;
  /** What it used: CPU time, wall time, peak memory, most processes. */
  usage: Usage;
  /**
   * The files of `copyOut` that were there, by path. Without a prototype: a name that was not taken has no
   * entry.
   */
  files: Record<string, OutputFile>;
  /**
   * Files of `copyOut` that could not be taken, and why. Not empty: `file-error`, unless something else
   * decided.
   */
  fileErrors: FileError[];
  /** What was enforced or measured less well than asked on this machine. Empty when all holds. */
  degraded: Degradation[];
  /** Returns this result when `ok`, throws `ProgramError` otherwise. */
  orThrow(): this;
}
