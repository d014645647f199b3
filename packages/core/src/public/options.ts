/** Options that name the engine, which only public classes know. */

import type { FileInput, WorkspaceSource } from '../types/files.js';
import type { Limits } from '../types/limits.js';
import type { Environment, RunOptions, SandboxShape } from '../types/program.js';
import type { OpenEngine } from './open-engine.js';

/** Of calls that are no sandbox's or engine's own. */
export interface OnEngine {
  /** Engine to use. Default: the process-wide default engine, opened at first use. */
  engine?: OpenEngine | undefined;
}

/**
 * Options of `run` and `spawn` of `Sandbox` and `Engine`: as `RunOptions`, plus the shape of the fresh
 * sandbox.
 */
export interface OneShotOptions extends RunOptions, SandboxShape, OnEngine {}

/** One run of `engine.runMany`: what `engine.run` takes. */
export interface RunRequest {
  /** The program, as for `Engine.run`. */
  file: string;
  /** Its arguments. Default: none. */
  args?: readonly string[] | undefined;
  /** As for `Engine.run`. A `signal` here ends this run, which then rejects, and with it the whole. */
  options?: OneShotOptions | undefined;
}

/** Requests of `engine.runMany`, also ones that are made as they are taken. */
export type ManyRequests = Iterable<RunRequest> | AsyncIterable<RunRequest>;

/**
 * Results of `engine.runMany`: one by one in a `for await`, which starts runs as it goes; awaited, all that
 * nobody has taken, in an array. Nothing runs before either.
 */
export interface ManyResults<Result> extends AsyncGenerator<Result, void, undefined>, Promise<Result[]> {}

/** Settings of a sandbox that stays. */
export interface SandboxOptions extends SandboxShape, OnEngine {
  /**
   * Memory, processes and disk bound the sandbox as a whole, and programs can only ask for less; the others
   * are defaults for its programs.
   */
  limits?: Limits | undefined;
  /** Default environment of its programs. */
  env?: Environment | undefined;
  /**
   * A tar archive that the work folder starts from, as `sandbox.snapshot()` makes it; before `files`. It may
   * come from anyone: names that lead out, devices, pipes and what is larger than `diskBytes` and
   * `diskFileCount` are refused. All of it belongs to the sandbox's user. Not compressed.
   */
  workspace?: WorkspaceSource | undefined;
  /** Files that are there from the start, by path; as `RunOptions.files`. */
  files?: Record<string, FileInput | string | Uint8Array> | undefined;
  /**
   * Closes it by itself so many ms of real time after it was made, whatever runs in it then: for hosts that
   * may never hear that a conversation is over. Programs end with `status: 'killed'`, calls reject with
   * `SBX_CLOSED`; `sandbox.setLifetime` counts anew. At most 2^31-1. Default, and `null`: until `close()`.
   */
  lifetimeMs?: number | null | undefined;
  /** Abort while it is made rejects with `signal.reason`. Afterwards it does nothing: call `close()`. */
  signal?: AbortSignal | undefined;
}
