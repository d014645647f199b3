/**
 * What the host looks after while programs live, beside init: one timer for all of an engine, and none while
 * nothing runs.
 */
import { endOverdue, type TimedProgram } from './overdue.js';
import { type HoldingProgram, Uncounted } from './uncounted.js';

export type WatchedProgram = TimedProgram & HoldingProgram;

const LOOK_EVERY_MS = 100;

export class Watch {
  readonly #programs = new Set<WatchedProgram>();
  readonly #uncounted = new Uncounted();
  #timer: NodeJS.Timeout | undefined;

  add(program: WatchedProgram): void {
    this.#programs.add(program);
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY_MS).unref();
  }

  delete(program: WatchedProgram): void {
    this.#programs.delete(program);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (this.#programs.size === 0) return this.close();
    endOverdue(this.#programs);
    this.#uncounted.look(this.#programs);
  }
}
