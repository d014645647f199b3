/**
 * The calls of core's `Standby` where nothing can wait ahead of its request: on a runner whose programs start
 * on other machines.
 */
import type {
  Engine,
  PipedRunnerProcess,
  Runner,
  StandbyCounters,
  StandbyFamily,
  StandbyInput,
  StandbyProgram,
} from '@sbx/core';

/** What `Runtimes` needs of a `Standby`. */
export interface Starts {
  /** So many programs of a family wait from now on. */
  keep(name: string, family: StandbyFamily): void;
  /** A program that many requests will be for. */
  prepare(name: string, program: StandbyProgram): PreparedStart;
  /** Resolves when nothing more is about to be started. */
  ready(): Promise<void>;
  /** Numbers by family. */
  counters(): Record<string, StandbyCounters>;
  /** Ends what waits. */
  close(): Promise<void>;
}

/** A program that is the same from request to request. */
export interface PreparedStart {
  /** Runs this code. */
  spawn(input: StandbyInput): Promise<PipedRunnerProcess>;
}

/** The engine's own standby where it has one. */
export function startsOf(engine: Engine | Runner, memoryBytes: number | undefined): Starts {
  return 'standby' in engine ? engine.standby({ memoryBytes }) : new ColdStarts(engine);
}

const REASON = 'Interpreters wait on one machine only: here each start is an ordinary one.';
const PIPES = { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' } as const;

class ColdStarts implements Starts {
  readonly #runner: Runner;
  readonly #families = new Map<string, StandbyCounters>();

  constructor(runner: Runner) {
    this.#runner = runner;
  }

  keep(name: string): void {
    this.#families.set(name, {
      waiting: 0,
      starting: 0,
      warm: 0,
      cold: 0,
      lost: 0,
      started: 0,
      memoryBytes: 0,
      reason: REASON,
    });
  }

  prepare(name: string, { file, args = [], entry, files, ...rest }: StandbyProgram): PreparedStart {
    return {
      spawn: async ({ code, fresh: _fresh, ...input }) => {
        const counters = this.#families.get(name);
        if (counters !== undefined) counters.cold += 1;
        const sources = { ...files, [entry]: code };
        const options = { ...rest, ...input, ...PIPES, files: sources };
        return (await this.#runner.spawn(file, args, options)) as PipedRunnerProcess;
      },
    };
  }

  async ready(): Promise<void> {}

  counters(): Record<string, StandbyCounters> {
    return Object.fromEntries([...this.#families].map(([name, counters]) => [name, { ...counters }]));
  }

  async close(): Promise<void> {}
}
