/** What a caller asks for, and what comes back. Every property says meaning, unit and default. */
import type {
  CopyOut,
  FileInput,
  Limits,
  MountRow,
  OneShotOptions,
  Output,
  OutputFile,
  RunOptions,
  RunResult,
  SandboxShape,
  Status,
  Usage,
} from '@sbx/core';
import type { LanguageName } from './language.js';

/** The part of an engine that this package uses; `Engine` of `@sbx/core` fits, and so does a test double. */
export interface RunEngine {
  /** One program in a fresh sandbox. */
  run(file: string, args?: readonly string[], options?: OneShotOptions): Promise<RunResult>;
  /**
   * Defaults, ceilings and root of the engine. Absent: `DEFAULT_LIMITS`, no ceilings, core's default root.
   */
  info?(): { limits?: Limits; ceilings?: Limits; mounts?: readonly MountRow[] };
}

/** What can be set on every call. */
interface CallOptions {
  /** Default: the process-wide engine of `@sbx/core`. */
  engine?: RunEngine | undefined;
  /** Abort kills what runs, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** What to compile, and within which limits. */
export interface CompileOptions extends CallOptions {
  /** Name or alias; see `Registry.list()`. */
  language: LanguageName | (string & {});
  /** The source: text, or bytes in whatever encoding its language reads. */
  code: string | Uint8Array;
  /** Name of the source in the work folder, as it appears in messages. Default: the language's. */
  fileName?: string | undefined;
  /**
   * More files beside the source (headers, modules). A language without compile step keeps them in the
   * artifact.
   */
  files?: Record<string, FileInput | string | Uint8Array> | undefined;
  /** Limits of the compile step. Default: the language's, then the engine's. */
  limits?: Limits | undefined;
  /** Added to the environment of the compile step. */
  env?: Record<string, string> | undefined;
}

/** What a program is run with; the same for `runArtifact` and `runCode`. */
interface ProgramInput
  extends Pick<
      RunOptions,
      | 'stdin'
      | 'stdout'
      | 'stderr'
      | 'fds'
      | 'killGraceMs'
      | 'copyOutMaxBytes'
      | 'copyOutTotalBytes'
      | 'onStdout'
      | 'onStderr'
      | 'seccompFamily'
    >,
    SandboxShape {
  /** Arguments of the program. Default: none. */
  args?: readonly string[] | undefined;
  /** More files in the work folder. Their names must not be the program's own. */
  files?: Record<string, FileInput | string | Uint8Array> | undefined;
  /** Files wanted back after the end. */
  copyOut?: readonly CopyOut[] | undefined;
  /** Limits of the run step. Default: the language's, then the engine's. */
  limits?: Limits | undefined;
  /** Added to core's `DEFAULT_ENV` and the language's own variables; yours win. */
  env?: Record<string, string> | undefined;
}

/** What to run an artifact with. */
export interface RunArtifactOptions extends CallOptions, ProgramInput {}

/** What to run, with what, and within which limits. */
export interface RunCodeOptions extends CallOptions, ProgramInput {
  /** Name or alias; see `Registry.list()`. */
  language: LanguageName | (string & {});
  /** The source: text, or bytes in whatever encoding its language reads. */
  code: string | Uint8Array;
  /** Name of the source in the work folder, as it appears in messages. Default: the language's. */
  fileName?: string | undefined;
  /** Limits of the compile step. Default: the language's, then the engine's. */
  compileLimits?: Limits | undefined;
}

/**
 * A program ready to be run any number of times: plain data that can be cloned to a worker or written to
 * disk.
 */
export interface Artifact {
  /** The language's name in the registry that made it. */
  language: string;
  /** Name of the source file. */
  source: string;
  /**
   * What goes into the work folder. Compiled files are bytes; files that the caller gave stay as they were
   * given.
   */
  files: Record<string, FileInput | string | Uint8Array>;
}

/** What `compile` brought. `result` is `null` for a language without compile step. */
export type Compilation =
  | { ok: true; language: string; artifact: Artifact; result: RunResult | null }
  | { ok: false; language: string; artifact: null; result: RunResult };

/** The run step as core takes it: for `engine.run`, or split up for a session and `spawn`. */
export interface PreparedRun {
  /** The program. */
  file: string;
  /** Its arguments. */
  args: string[];
  /** The rest, for `Engine.run` and `Engine.spawn`. */
  options: OneShotOptions;
}

/** How code fared. The fields from `status` on are those of the step that decided. */
export interface CodeResult {
  /** `'compile'`: compilation failed and nothing was run. */
  stage: 'compile' | 'run';
  /** Name of the language. */
  language: string;
  /** `null`: the language has no compile step. */
  compile: RunResult | null;
  /** `null`: compilation failed. */
  run: RunResult | null;
  /** Of the step that decided. */
  status: Status;
  /** `status === 'ok'`. */
  ok: boolean;
  /** `null` when a signal ended it. */
  exitCode: number | null;
  /** `null` when it exited. */
  exitSignal: string | null;
  /** Of the step that decided. */
  stdout: Output;
  /** Of the step that decided. */
  stderr: Output;
  /** Of the step that decided. */
  usage: Usage;
  /** Files of `copyOut`; empty when nothing was run. */
  files: Record<string, OutputFile>;
  /** Returns this result when `ok`, throws core's `ProgramError` otherwise. */
  orThrow(): this;
}
