/** `@sbx/languages`: how to compile and run each programming language inside a sandbox. */

import type { RunResult } from '@sbx/core';
import { languages } from './built-in.js';
import type {
  Artifact,
  CodeResult,
  Compilation,
  CompileOptions,
  PreparedRun,
  RunArtifactOptions,
  RunCodeOptions,
} from './types.js';

/**
 * Compiles `code` when its language needs it, then runs it; each step in a fresh sandbox with limits of its
 * own.
 */
export function runCode(options: RunCodeOptions): Promise<CodeResult> {
  return languages.runCode(options);
}

/** Compiles once, for any number of `runArtifact`. */
export function compile(options: CompileOptions): Promise<Compilation> {
  return languages.compile(options);
}

/** Runs what `compile` made, in a fresh sandbox. */
export function runArtifact(artifact: Artifact, options?: RunArtifactOptions): Promise<RunResult> {
  return languages.runArtifact(artifact, options);
}

/** The run step of an artifact as arguments for core: for sessions, `spawn` and groups. */
export function prepareRun(artifact: Artifact, options?: RunArtifactOptions): PreparedRun {
  return languages.prepareRun(artifact, options);
}

export { languages } from './built-in.js';
export { LanguageUnavailableError } from './errors.js';
export type {
  CompileContext,
  CompileStep,
  Language,
  LanguageDefinition,
  LanguageName,
  LanguageReport,
  LanguageStep,
  PerRun,
  StandbyHints,
  StepContext,
  VersionProbe,
} from './language.js';
export { TOLD_MEMORY_MOUNTS } from './memory-limit-files.js';
export { minimalRoot } from './minimal-root.js';
export type { ProbeOptions } from './probe.js';
export { createRegistry, Registry, type RegistryOptions } from './registry.js';
export { createRuntimes, Runtimes } from './runtimes.js';
export type { RuntimesOptions, SpawnCodeOptions } from './runtimes-options.js';
export type {
  Artifact,
  CodeResult,
  Compilation,
  CompileOptions,
  PreparedRun,
  RunArtifactOptions,
  RunCodeOptions,
  RunEngine,
} from './types.js';
