/** One program as asked for, and as init is told. */
import type { Group } from '../cgroup/group.js';
import type { StartMessage } from '../native.js';
import { DEFAULT_ENV } from '../options/defaults.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { RunOptions } from '../types.js';
import type { Place } from './place.js';
import { boundGroup, cpusOf, environmentOf, nanoseconds, rlimitsFor } from './plan.js';
import type { GivenFd, Wiring } from './wiring.js';

export interface ProgramRequest {
  file: string;
  args: readonly string[];
  options: RunOptions;
  limits: ResolvedLimits;
  env?: Readonly<Record<string, string>>;
  /** The sandbox is this program's alone and ends with it. */
  oneShot: boolean;
  /** Spawned: exec is waited for, so that a missing program is told at once, and the caller holds streams. */
  notify: boolean;
  given?: readonly GivenFd[];
  /** Set when others run beside it in groups below its own: then its peaks include theirs. */
  company?: { others: boolean };
  /** Cgroup of its own, when it runs beside others in one sandbox. */
  member?: Group;
}

/** What is known once its descriptors are open. */
export interface StartParts {
  id: number;
  wiring: Wiring;
  joins: number[];
  env: Readonly<Record<string, string>>;
  paths: string[];
  group: Group | null;
}

export function startMessage(place: Place, request: ProgramRequest, parts: StartParts): StartMessage {
  const { file, args, options, limits, oneShot, notify, member } = request;
  const { core, slot } = place;
  const { pty } = options;
  return {
    oneShot,
    notify: notify || pty !== undefined,
    terminal: pty !== undefined,
    ownGroup: member !== undefined,
    programId: parts.id,
    cpuLimitNs: nanoseconds(limits.cpuTimeMs),
    wallLimitNs: nanoseconds(limits.wallTimeMs),
    memoryLimitBytes: limits.memoryBytes ?? 0,
    cpuCount: cpusOf(limits, core.machineCpus),
    cols: pty?.cols,
    rows: pty?.rows,
    fdRows: parts.wiring.fdRows,
    fds: parts.wiring.fds,
    joins: member === undefined ? parts.joins : [...member.joins, ...parts.joins],
    rlimits: rlimitsFor(limits, core.openFilesMax, !core.features['cpu-accounting'].available),
    ...boundGroup(slot, parts.group, limits, core.native.constants.counters),
    ...(member?.fds ?? {}),
    cwd: absolute(options.cwd, core.workDir),
    paths: parts.paths,
    args: [file, ...args],
    env: environmentOf(parts.env),
  };
}

/** The program's own environment, else the sandbox's, else the default; with a terminal TERM is added. */
export function environmentFor({
  options,
  env = DEFAULT_ENV,
}: ProgramRequest): Readonly<Record<string, string>> {
  const own = options.env ?? env;
  if (options.pty === undefined) return own;
  return { ...own, TERM: options.pty.term ?? own.TERM ?? 'xterm-256color' };
}

/** Relative folders start at the work folder. */
function absolute(cwd: string | undefined, workDir: string): string {
  if (cwd === undefined) return workDir;
  return cwd.startsWith('/') ? cwd : `${workDir}/${cwd}`;
}
