/** What the stages of `sbx run` hand to each other. */
import type { CopyOut, FileError, OneShotOptions, OutputFile, RunResult } from '@sbx/core';

/** One run, ready for any of the runners. */
export interface RunPlan {
  file: string;
  args: readonly string[];
  /** Files, limits, environment, folder and shape; no streams. */
  options: Pick<
    OneShotOptions,
    'files' | 'limits' | 'env' | 'cwd' | 'network' | 'seccomp' | 'seccompAction' | 'seccompFamily'
  >;
  copyOut: readonly CopyOut[];
  /** `null`: no language is involved. */
  language: string | null;
  /** `null`: nothing was compiled. */
  compile: RunResult | null;
}

/** How a run ended; with its files, however they were taken. */
export interface RunOutcome {
  result: RunResult;
  files: Record<string, OutputFile | { bytes: Uint8Array; mode: number }>;
  fileErrors: readonly FileError[];
}
