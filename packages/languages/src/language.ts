/**
 * What a language is: how its code is named, compiled, run and found. Every property says meaning, unit and
 * default. How the steps use them: `plan.ts`; the built-in table: `entries/`.
 */
import type { FileInput, Limits, SyscallFamily } from '@sbx/core';

/** What the run step may look at when it makes up its arguments or environment. */
export interface StepContext {
  /** Name of the source file in the work folder. */
  source: string;
  /** Memory limit of this step in bytes, for runtimes that must be told; `null`: none. */
  memoryBytes: number | null;
  /**
   * What files inside tell of the memory limit (`TOLD_MEMORY_MOUNTS`, and `readsMemoryLimit` of the step), in
   * bytes; `null`: there are none.
   */
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
  /**
   * Arguments; `{source}` in a listed one stands for the source's file name. The caller's own follow on the
   * run step. Default: none.
   */
  args?: PerRun<readonly string[], Context> | undefined;
  /** Added to the language's `env`. */
  env?: PerRun<Readonly<Record<string, string>>, Context> | undefined;
  /**
   * Limits for this step where the engine's defaults do not fit the runtime. The caller's limits win over
   * them.
   */
  limits?: Limits | undefined;
  /**
   * Its runtime sizes itself by the memory limit in cgroup files: they are there where the engine has room
   * for them (`TOLD_MEMORY_MOUNTS`). Default false.
   */
  readsMemoryLimit?: boolean | undefined;
}

/** A step that turns the source into files. */
export interface CompileStep extends LanguageStep<CompileContext> {
  /**
   * Files the compiler leaves in the work folder; only they reach the run step. A missing one is a failed
   * compilation.
   */
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
 * For runtimes that go on loading themselves after they have opened the source. Whatever the prelude makes
 * them load must be what a plain start would have loaded by the time the program runs.
 */
export interface StandbyHints {
  /** Source of a program that is run once per engine and prints what `prelude` needs. */
  probe: string;
  /**
   * Files by name in the work folder, there until the interpreter waits; made from what the probe printed.
   */
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
  /**
   * What must be there: a program's name (looked up in PATH) or an absolute path, inside the sandbox.
   * Default: the steps' programs.
   */
  needs?: readonly string[] | undefined;
  /** Absent: nothing is asked, and the version is unknown. */
  version?: VersionProbe | undefined;
  /**
   * What helps an interpreter that is kept waiting (`createRuntimes`). Default: nothing; it waits at its
   * source file all the same.
   */
  standby?: StandbyHints | undefined;
  /**
   * Source text that asks how old its process or its files are, which would tell it that its interpreter has
   * waited: `createRuntimes` gives it an ordinary start. Default: none does.
   */
  asksAge?: RegExp | undefined;
  /** Package of Debian that brings it, for the hint when it is missing. Default: none. */
  debianPackage?: string | undefined;
  /**
   * Which calls its programs make, where the strict filter is asked for; the compile step makes those of any.
   * Default `'any'`.
   */
  seccompFamily?: SyscallFamily | undefined;
  /**
   * Packages that every Debian has, so that no other package names them, and that its programs need: for
   * `minimalRoot`. Default: none.
   */
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
