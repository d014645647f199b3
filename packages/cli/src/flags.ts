/** What commander hands to the commands. */
import type { LimitFlagValues } from './limit-flags.js';

export interface RunFlags extends LimitFlagValues {
  env?: string[];
  cwd?: string;
  file?: string[];
  copyOut?: string[];
  language?: string;
  toolchain?: string[];
  root?: string;
  network: 'none' | 'loopback';
  seccomp: 'default' | 'strict';
  seccompAction: 'errno' | 'kill';
  tty?: boolean;
  allowDegraded?: boolean;
  json?: boolean;
  quiet?: boolean;
}

export interface DoctorFlags {
  json?: boolean;
}

export interface LanguagesFlags {
  allowDegraded?: boolean;
  json?: boolean;
}

export interface BenchFlags {
  runs: string;
  allowDegraded?: boolean;
  json?: boolean;
}
