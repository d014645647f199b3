/** The processes of one sandbox that go on between calls. */
import type { PipedProcess } from '@sbx/core';
import { BackgroundProcess } from './background-process.js';
import { ToolError } from './tool-error.js';

/** Of one sandbox; of those that have ended the oldest make room for others. */
const COUNT_MAX = 8;
/** Of a command, in a list. */
const SHOWN_CHARS = 60;

export class BackgroundProcesses {
  readonly #keptBytes: number;
  readonly #known = new Map<string, BackgroundProcess>();
  #startingCount = 0;
  #startedCount = 0;

  /** Of each output of a process the last `keptBytes` are kept. */
  constructor(keptBytes: number) {
    this.#keptBytes = keptBytes;
  }

  async start(command: string, spawn: () => Promise<PipedProcess>): Promise<BackgroundProcess> {
    this.#makeRoom();
    this.#startingCount += 1;
    try {
      const spawned = await spawn();
      this.#startedCount += 1;
      const process = new BackgroundProcess(`${this.#startedCount}`, command, spawned, this.#keptBytes);
      this.#known.set(process.id, process);
      return process;
    } finally {
      this.#startingCount -= 1;
    }
  }

  find(id: string): BackgroundProcess {
    const process = this.#known.get(id);
    if (process !== undefined) return process;
    throw new ToolError(`There is no process ${JSON.stringify(id)} in this sandbox. ${this.#list()}`);
  }

  #makeRoom(): void {
    if (this.#known.size + this.#startingCount < COUNT_MAX) return;
    const ended = [...this.#known.values()].find(({ isRunning }) => !isRunning);
    if (ended === undefined) {
      throw new ToolError(
        `This sandbox has ${COUNT_MAX} processes of start_process, its maximum. Stop one with stop_process. ${this.#list()}`,
      );
    }
    this.#known.delete(ended.id);
  }

  #list(): string {
    const lines = [...this.#known.values()].map(({ id, isRunning, command }) => {
      const shown = command.length > SHOWN_CHARS ? `${command.slice(0, SHOWN_CHARS)}…` : command;
      return `${id} (${isRunning ? 'running' : 'ended'}): ${shown}`;
    });
    return lines.length === 0 ? 'start_process starts one.' : `There are:\n${lines.join('\n')}`;
  }
}
