/** Living programs that are joined by pipes. */
import type { SbxError } from '../errors.js';
import type { EachGroupResult, GroupProgram, GroupResult } from '../types/group.js';
import type { NoOtherKeys, Process, ProcessFor } from './process.js';

/** A request for programs whose types are told apart. A key that is none of a program's is an error. */
export type GroupOf<Request, Each extends readonly (GroupProgram | null)[]> = Request & {
  programs: Each & {
    readonly [Index in keyof Each]: Each[Index] extends infer Program extends object
      ? NoOtherKeys<Program, GroupProgram>
      : Each[Index];
  };
};

/** The living programs of such a request: their streams are there for sure where each asks for them. */
export type ProcessesFor<Each extends readonly (GroupProgram | null)[], Missing extends null = never> = {
  readonly [Index in keyof Each]: ProcessFor<NonNullable<Each[Index]>> | Missing;
};

/** The parts of a group. */
interface GroupParts<Result> {
  processes: readonly (Process | null)[];
  errors: (SbxError | null)[];
  result: Promise<Result>;
}

/**
 * From `Sandbox.spawnGroup()` or `engine.spawnGroup()`. Leaving the scope of `await using` kills all of it.
 */
export class ProcessGroup<
  Result extends GroupResult | EachGroupResult = GroupResult,
  Living extends readonly (Process | null)[] = readonly (Process | null)[],
> implements AsyncDisposable
{
  /**
   * In the order of the request's `programs`. `null` for one that could not be started, or was not to be,
   * which is with `settle: 'each'` only.
   */
  readonly processes: Living;
  /** Why the `null` ones could not be started, in the same order; `null` for one that was not to be. */
  readonly errors: readonly (SbxError | null)[];
  /**
   * When all have ended, as `runGroup` gives it. Never rejects for what programs did; rejects with
   * `signal.reason` on abort.
   */
  readonly result: Promise<Result>;

  /** @internal */
  static make<Result extends GroupResult | EachGroupResult>(parts: GroupParts<Result>): ProcessGroup<Result> {
    return new ProcessGroup(parts);
  }

  private constructor(parts: GroupParts<Result>) {
    this.processes = parts.processes as Living;
    this.errors = parts.errors;
    this.result = parts.result;
    this.result.catch(() => undefined); // a caller who only streams must not be ended by it
  }

  /** As `Process.kill`, for each that lives. */
  kill(signal?: NodeJS.Signals | number): void {
    for (const process of this.processes) process?.kill(signal);
  }

  /** Kills what lives, and lets go of all streams. Safe to call twice. */
  async close(): Promise<void> {
    await Promise.all(this.processes.map((process) => process?.close()));
  }

  /** As `close`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
