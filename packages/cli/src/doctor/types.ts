import type { EngineInfo, RunResult } from '@sbx/core';
import type { LanguageReport } from '@sbx/languages';

/** One requirement and how it stands. */
export interface Check {
  /** Stable, for scripts. */
  id: string;
  /** Where it is decided: who must be asked to change it. */
  layer:
    | 'platform'
    | 'kernel'
    | 'native'
    | 'sysctl'
    | 'apparmor'
    | 'capability'
    | 'seccomp'
    | 'cgroup'
    | 'container'
    | 'engine'
    | 'language';
  title: string;
  /** Without it sandboxes do not run here, or not with the guarantees that are required by default. */
  required: boolean;
  /** `unknown`: it could not be asked. */
  state: 'ok' | 'missing' | 'unknown';
  found: string;
  why: string;
  /** The exact fix; `null` when there is nothing to do. */
  fix: string | null;
  /** The fix as a command of a shell, where there is one for this machine. */
  command?: string | undefined;
}

/** What became of opening an engine and running `/bin/true` in it. */
export type Trial =
  | { kind: 'ran'; info: EngineInfo; result: RunResult; ms: number; languages: readonly LanguageReport[] }
  | { kind: 'opened'; info: EngineInfo; error: Error }
  /**
   * Not with the default guarantees; `info` is what it can give when none is demanded, or `bareError` why not
   * even that.
   */
  | { kind: 'refused'; error: Error; info: EngineInfo | null; bareError: Error | null };
