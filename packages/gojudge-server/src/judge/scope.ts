/** What every part of one request needs. */
import type { ProgramInput, ProgramOutput, Runner, RunnerProcess, RunObserver } from '@sbx/core';
import type { FileStore } from '../store/store.js';
import type { RequestBudget } from './budget.js';
import type { Job } from './job.js';
import type { Settings } from './settings.js';
import type { Sources } from './sources.js';

/** The connection of `/stream`: gets the streams as programs start. */
export interface StreamTarget {
  attachInput(index: number, fd: number, stream: ProgramInput): void;
  /** Resolves when all of it has been sent. */
  attachOutput(index: number, fd: number, stream: ProgramOutput): Promise<void>;
  attachTerminal(index: number, fd: number, process: RunnerProcess): void;
}

export interface RunScope {
  engine: Runner;
  settings: Settings;
  store: FileStore;
  job: Job;
  /** `null` when the request names no host files. */
  sources: Sources | null;
  signal: AbortSignal;
  cpuSet: string | null;
  streams: StreamTarget | null;
  budget: RequestBudget;
  /** Of living programs. */
  observer: RunObserver | null;
}
