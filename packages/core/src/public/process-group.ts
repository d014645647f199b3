/** Living programs that are joined by pipes. */
import type { SbxError } from '../errors.js';
import type { EachGroupResult, GroupProgram, GroupResult } from '../types/group.js';
import type { NoOtherKeys, Process, ProcessFor } from './process.js';

type Programs = readonly (GroupProgram | null)[];
type Processes = readonly (Process | null)[];

/** A request for programs whose types are told apart. A key that is none of a program's is an error. */
export type GroupOf<Request, Each extends Programs> = Request & {
  programs: Each & { readonly [Index in keyof Each]: OfProgramAlone<Each[Index]> };
};
type OfProgramAlone<Program> = Program extends object ? NoOtherKeys<Program, GroupProgram> : Program;

/** The living programs of such a request: their streams are there for sure where each asks for them. */
export type ProcessesFor<Each extends Programs, Missing extends null = never> = {
  readonly [Index in keyof Each]: ProcessOf<Each[Index]> | Missing;
};
type ProcessOf<Program> = Program extends object ? ProcessFor<Program> : never;

/** The parts of a group. */
interface GroupParts<Result> {
  processes: Processes;
  errors: (SbxError | null)[];
  result: Promise<Result>;
}

/**
 * From `Sandbox.spawnGroup()` or `engine.spawnGroup()`. Leaving the scope of `await using` kills all of it.
 */
export class ProcessGroup<
  Result extends GroupResult | EachGroupResult = GroupResult,
  Living extends Processes = Processes,
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
