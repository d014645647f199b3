/** Programs that run at the same time, joined by pipes. */
import type { SbxError } from '../sbx-error.js';
import type { Output } from '../streams/output.js';
import type { RunOptions, SandboxShape } from './program.js';
import type { RunResult } from './result.js';

/** One program of a group: a one-shot run of its own, with names for its pipes' ends. */
export interface GroupProgram
  extends Omit<RunOptions, 'signal' | 'onAbort' | 'onStdout' | 'onStderr'>,
    SandboxShape {
  /** The program, as for `Engine.run`. */
  file: string;
  /** Its arguments. Default: none. */
  args?: readonly string[] | undefined;
}

/**
 * A pipe between two programs of a group: descriptor `fd` of `programs[index]`. Programs that plain pipes
 * join in a circle, as two that ask and answer, are held on one CPU now and then, for 20 ms, where that makes
 * them no slower.
 */
export interface GroupPipe {
  /** The writing end: index in `programs`, and its descriptor there. */
  from: { index: number; fd: number };
  /** The reading end. */
  to: { index: number; fd: number };
  /**
   * Pass the bytes through the host, keep the first `maxBytes` of them and return them in `recordings` of the
   * result. When its reader is gone, the writer gets EPIPE as from a plain pipe; with `drain` it can go on
   * writing, and what it writes is dropped, recorded and counted all the same. Default: a plain kernel pipe,
   * up to ten times as fast for lines to and fro.
   */
  record?: { maxBytes: number; drain?: boolean | undefined } | undefined;
  /** As `record`, but nothing is kept. Excludes it. */
  relay?: true | { drain?: boolean | undefined } | undefined;
}

/** Programs that run at the same time, and the pipes between them. */
export interface GroupRequest {
  /** Each in a fresh sandbox of its own. */
  programs: readonly GroupProgram[];
  /** Between descriptors of them. Default: none. */
  pipes?: readonly GroupPipe[] | undefined;
  /**
   * What becomes of the others when one cannot be started or its sandbox fails: `'all'` (default) ends them
   * and rejects with the reason; `'each'` lets them go on, and its ends of pipes are closed
   * (`EachGroupRequest`).
   */
  settle?: 'all' | undefined;
  /** Abort kills all programs, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
  /**
   * As `ProgramOptions.onAbort`, for all. With `settle: 'each'` programs that were not started yet have an
   * `SBX_ABORTED` in `errors`.
   */
  onAbort?: 'reject' | 'resolve' | undefined;
}

/** A group whose programs are judged each for itself. */
export interface EachGroupRequest extends Omit<GroupRequest, 'settle' | 'programs'> {
  /**
   * As of `GroupRequest`. `null` is one that is not to be started: its ends of pipes are closed at once, and
   * it has neither result nor error.
   */
  programs: readonly (GroupProgram | null)[];
  /** Each is judged for itself. */
  settle: 'each';
}

/** How each ended, and what went by. */
export interface GroupResult {
  /** In the order of `programs`. */
  results: RunResult[];
  /**
   * In the order of `pipes`; `null` for a pipe without `record`. What was dropped by a bound or never read is
   * counted in `totalBytes`.
   */
  recordings: (Output | null)[];
}

/** The same with `settle: 'each'`: of each program either the result or why there is none. */
export interface EachGroupResult {
  /** In the order of `programs`; `null` where there is an error, and for a `null`. */
  results: (RunResult | null)[];
  /** In the order of `programs`; `null` where there is a result, and for a `null`. */
  errors: (SbxError | null)[];
  /** In the order of `pipes`; `null` for a pipe without `record`. */
  recordings: (Output | null)[];
}
