/**
 * What a language is, what a caller asks for, and what comes back.
 * Every property says meaning, unit and default. How the steps use them: `plan.ts`; the built-in table: `entries/`.
 */
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
  SyscallFamily,
  Usage,
} from '@sbx/core';

/** The part of an engine that this package uses; `Engine` of `@sbx/core` fits, and so does a test double. */
export interface RunEngine {
  /** One program in a fresh sandbox. */
  run(file: string, args?: readonly string[], options?: OneShotOptions): Promise<RunResult>;
  /** Defaults, ceilings and root of the engine. Absent: `DEFAULT_LIMITS`, no ceilings, core's default root. */
  info?(): { limits?: Limits; ceilings?: Limits; mounts?: readonly MountRow[] };
}

/** What the run step may look at when it makes up its arguments or environment. */
export interface StepContext {
  /** Name of the source file in the work folder. */
  source: string;
  /** Memory limit of this step in bytes, for runtimes that must be told; `null`: none. */
  memoryBytes: number | null;
  /** What files inside tell of the memory limit (`TOLD_MEMORY_MOUNTS`, and `readsMemoryLimit` of the step), in bytes; `null`: there are none. */
  toldMemoryBytes: number | null;
}

/** As `StepContext`; the compile step also sees the source. */
export interface CompileContext extends StepContext {
  /** The source text. */
  code: string;
}

/** A value, or how to make it for one run. */
export type PerRun<T, Context = StepContext> = T | ((context: Context) => T);

/** One program that is run for a language. */
export interface LanguageStep<Context = StepContext> {
  /** Program: a name looked up in PATH inside the sandbox, or a path (`'./main'` is in the work folder). */
  file: string;
  /** Arguments; `{source}` in a listed one stands for the source's file name. The caller's own follow on the run step. Default: none. */
  args?: PerRun<readonly string[], Context> | undefined;
  /** Added to the language's `env`. */
  env?: PerRun<Readonly<Record<string, string>>, Context> | undefined;
  /** Limits for this step where the engine's defaults do not fit the runtime. The caller's limits win over them. */
  limits?: Limits | undefined;
  /** Its runtime sizes itself by the memory limit in cgroup files: they are there where the engine has room for them (`TOLD_MEMORY_MOUNTS`). Default false. */
  readsMemoryLimit?: boolean | undefined;
}

/** A step that turns the source into files. */
export interface CompileStep extends LanguageStep<CompileContext> {
  /** Files the compiler leaves in the work folder; only they reach the run step. A missing one is a failed compilation. */
  output: readonly string[];
  /** Files of the tool itself, put beside the source. Default: none. */
  files?: (() => Record<string, FileInput>) | undefined;
}

/** How to ask an installation for its version. */
export interface VersionProbe {
  /** Program: a name looked up in PATH inside the sandbox, or a path. */
  file: string;
  /** Its arguments. */
  args: readonly string[];
  /** Matched against stdout, then stderr; the first group is the version. */
  pattern: RegExp;
}

/**
 * For runtimes that go on loading themselves after they have opened the source. Whatever the prelude makes them load must be
 * what a plain start would have loaded by the time the program runs.
 */
export interface StandbyHints {
  /** Source of a program that is run once per engine and prints what `prelude` needs. */
  probe: string;
  /** Files by name in the work folder, there until the interpreter waits; made from what the probe printed. */
  prelude(printed: string): Readonly<Record<string, string>>;
}

/** A language: how its code is named, compiled, run and found. */
export interface LanguageDefinition {
  /** Lower-case letters, digits, `+`, `#`, `-`, `.`; unique in a registry. */
  name: string;
  /** For people. Default: the name. */
  title?: string | undefined;
  /** Other names, unique in a registry. Default: none. */
  aliases?: readonly string[] | undefined;
  /** File name endings with their dot (`'.py'`), unique in a registry. Default: none. */
  extensions?: readonly string[] | undefined;
  /** Name of the source in the work folder, or how to find it in the code (Java's public class). */
  fileName: string | ((code: string) => string);
  /** Environment of every step, over core's `DEFAULT_ENV`. Default: none. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Absent: the source is run as it is. */
  compile?: CompileStep | undefined;
  /** How a program is run. */
  run: LanguageStep;
  /** What must be there: a program's name (looked up in PATH) or an absolute path, inside the sandbox. Default: the steps' programs. */
  needs?: readonly string[] | undefined;
  /** Absent: nothing is asked, and the version is unknown. */
  version?: VersionProbe | undefined;
  /** What helps an interpreter that is kept waiting (`createRuntimes`). Default: nothing; it waits at its source file all the same. */
  standby?: StandbyHints | undefined;
  /**
   * Source text that asks how old its process or its files are, which would tell it that its interpreter has waited: `createRuntimes` gives
   * it an ordinary start. Default: none does.
   */
  asksAge?: RegExp | undefined;
  /** Package of Debian that brings it, for the hint when it is missing. Default: none. */
  debianPackage?: string | undefined;
  /** Which calls its programs make, where the strict filter is asked for; the compile step makes those of any. Default `'any'`. */
  seccompFamily?: SyscallFamily | undefined;
  /** Packages that every Debian has, so that no other package names them, and that its programs need: for `minimalRoot`. Default: none. */
  essentialPackages?: readonly string[] | undefined;
}

/** A definition with its defaults filled in; frozen. */
export type Language = Readonly<
  LanguageDefinition &
    Required<Pick<LanguageDefinition, 'title' | 'aliases' | 'extensions' | 'env' | 'needs'>>
>;

/** What `probe` found out about a language. */
export interface LanguageReport {
  /** As of its definition. */
  name: string;
  /** Name for people. */
  title: string;
  /** Other names that are taken. */
  aliases: readonly string[];
  /** Of its files, with the dot. */
  extensions: readonly string[];
  /** Has a compile step. */
  compiled: boolean;
  /** Its programs are inside the sandbox. */
  available: boolean;
  /** `null` when not available, or when the language has no version probe. */
  version: string | null;
  /** Why it is not available, one sentence for a person; `null` when it is. */
  reason: string | null;
  /** What brings it; `null` where its definition does not say. */
  debianPackage: string | null;
}

/** What can be set on every call. */
interface CallOptions {
  /** Default: the process-wide engine of `@sbx/core`. */
  engine?: RunEngine | undefined;
  /** Abort kills what runs, then rejects with `signal.reason`. */
  signal?: AbortSignal | undefined;
}

/** The built-in languages, for editors to complete; aliases and languages of your own are strings. */
export type LanguageName =
  | 'c'
  | 'cpp'
  | 'python'
  | 'javascript'
  | 'typescript'
  | 'shell'
  | 'bash'
  | 'elixir'
  | 'go'
  | 'rust'
  | 'java';

/** What to compile, and within which limits. */
export interface CompileOptions extends CallOptions {
  /** Name or alias; see `Registry.list()`. */
  language: LanguageName | (string & {});
  /** The source text. */
  code: string;
  /** Name of the source in the work folder, as it appears in messages. Default: the language's. */
  fileName?: string | undefined;
  /** More files beside the source (headers, modules). A language without compile step keeps them in the artifact. */
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
  /** The source text. */
  code: string;
  /** Name of the source in the work folder, as it appears in messages. Default: the language's. */
  fileName?: string | undefined;
  /** Limits of the compile step. Default: the language's, then the engine's. */
  compileLimits?: Limits | undefined;
}

/** A program ready to be run any number of times: plain data that can be cloned to a worker or written to disk. */
export interface Artifact {
  /** The language's name in the registry that made it. */
  language: string;
  /** Name of the source file. */
  source: string;
  /** What goes into the work folder. Compiled files are bytes; files that the caller gave stay as they were given. */
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
