/** What callers of a standby say and hear. */
import type { Limits } from './limits.js';
import type { ProgramOptions, SandboxShape } from './program.js';

/**
 * A program that can be started ahead of its request: everything it can see before it opens its entry file.
 */
export interface StandbyProgram extends SandboxShape, Pick<ProgramOptions, 'env' | 'cwd' | 'seccompFamily'> {
  /** As for `Engine.run`. */
  file: string;
  /** Its arguments. Default: none. */
  args?: readonly string[] | undefined;
  /**
   * Path of the entry file in the work folder, as `args` names it: the program waits in its own opening of
   * it.
   */
  entry: string;
  /** Further files of an ordinary start, by path as in `OneShotOptions.files`: there from the start on. */
  files?: Readonly<Record<string, string>> | undefined;
  /**
   * Of these only what a program sees at its start tells programs apart: file, stack, open file, address
   * space and disk limits.
   */
  limits?: Limits | undefined;
}

/** A kind of programs, and how many of them wait. */
export interface StandbyFamily {
  /** Programs that wait. 0: none, every start is an ordinary one. */
  count: number;
  /** What waits before the first requests came. */
  program: StandbyProgram;
  /**
   * Files, by name in the work folder, for the start of what waits alone: they are gone before it is handed
   * over, and ordinary starts do without.
   */
  prelude?: Readonly<Record<string, string>> | undefined;
}

/** What a waiting program is given. */
export interface StandbyInput extends Pick<ProgramOptions, 'signal' | 'onAbort' | 'killGraceMs'> {
  /** Content of the entry file. */
  code: string | Uint8Array;
  /**
   * An ordinary start in any case, and in a sandbox that is made for it rather than one that stood ready: for
   * code that asks how old its process, /tmp or its files are. A few milliseconds more. Default false.
   */
  fresh?: boolean | undefined;
}

/** A program and what it is given, in one. */
export interface StandbyRequest extends StandbyProgram, StandbyInput {}

/** Settings of `Engine.standby`. */
export interface StandbyOptions {
  /**
   * Memory that all waiting programs may hold together, in bytes. Default 512 MiB. No further one is started
   * when it would be passed.
   */
  memoryBytes?: number | undefined;
  /**
   * Time in ms within which a started program must have come to its entry file; else it is given up. Default
   * 60 000.
   */
  startMs?: number | undefined;
}

/** Numbers of one family of a standby. */
export interface StandbyCounters {
  /** Started, and waiting at their entry file. */
  waiting: number;
  /** On their way there. */
  starting: number;
  /** Requests that a waiting program took. */
  warm: number;
  /** Requests for which a program was started as usual. */
  cold: number;
  /** Programs that ended, or could not be started, before anybody asked for them. */
  lost: number;
  /** Programs started ahead, since the opening. */
  started: number;
  /** What the waiting ones hold, in bytes. */
  memoryBytes: number;
  /** Why none waits here, one sentence for a person; `null` while nothing stands against it. */
  reason: string | null;
}
