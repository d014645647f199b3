/** What every part of one request needs. */
import type { ProgramInput, ProgramOutput, Runner, RunnerProcess, RunObserver } from '@sbx/core';
import type { FileStore } from '../store/store.js';
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

/**
 * What the results of one request may bring out of its sandboxes together: into the answer and into the
 * store.
 */
export interface Budget {
  readonly totalBytes: number;
  /** What one program may bring into this process: all of a request may end at once. */
  readonly shareBytes: number;
  leftBytes: number;
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
  budget: Budget;
  /** Of living programs. */
  observer: RunObserver | null;
}
