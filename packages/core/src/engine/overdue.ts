/**
 * The second bound of real time. Init ends a program at its wall limit by its own timer; should it ever not
 * (stopped, or held up in the kernel), the host does, some seconds late. One timer for all programs of an
 * engine, and none while nothing runs.
 */

export interface TimedProgram {
  readonly wallLimitMs: number;
  ageMs(): number;
  /** Init has missed its limit. */
  endOverdue(): void;
}

const LOOK_EVERY_MS = 1000;
/** Beyond the limit. Init's own report of a limit is never this late. */
const SLACK_MS = 2000;

export class Overdue {
  readonly #programs = new Set<TimedProgram>();
  #timer: NodeJS.Timeout | undefined;

  add(program: TimedProgram): void {
    this.#programs.add(program);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  delete(program: TimedProgram): void {
    this.#programs.delete(program);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#programs.size === 0) return this.close();
    for (const program of this.#programs)
      if (program.ageMs() > program.wallLimitMs + SLACK_MS) {
        this.#programs.delete(program);
        program.endOverdue();
      }
  }
}
