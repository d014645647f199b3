/** One program as asked for, and as init is told. */
import type { Group } from '../cgroup/group.js';
import type { CounterFds, StartMessage } from '../native.js';
import { SYSCALL_FAMILIES } from '../native-tables.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { Environment, RunOptions } from '../types.js';
import type { Figures } from './figures.js';
import type { Place } from './place.js';
import { boundGroup, cpusOf, nanoseconds, rlimitsFor, taskRlimit } from './plan.js';
import type { GivenFd, Wiring } from './wiring.js';

/** What is there of a program that has waited. */
export interface Waited {
  id: number;
  /** The host's ends of its three pipes: stdin, stdout, stderr. */
  pipes: readonly number[];
  /** What its sandbox held before it was started, and its CPU time at the hand-over. */
  base: Figures;
}

export interface ProgramRequest {
  file: string;
  args: readonly string[];
  options: RunOptions;
  limits: ResolvedLimits;
  /** The sandbox's own environment. */
  env?: Environment;
  /** The sandbox is this program's alone and ends with it. */
  oneShot: boolean;
  /** Spawned: exec is waited for, so that a missing program is told at once, and the caller holds streams. */
  notify: boolean;
  given?: readonly GivenFd[];
  /** Number of the group in which it and others wait for each other in turn. */
  turns?: number;
  /** Started before anybody has asked for it. */
  ahead?: boolean;
  /** It was started ahead of this request and has waited for it. */
  waited?: Waited;
  /** Set when others run beside it in groups below its own: then its peaks include theirs. */
  company?: { others: boolean };
  /** Cgroup of its own, when it runs beside others in one sandbox. */
  member?: Group;
}

/** What is known once its descriptors are open. */
export interface StartParts {
  id: number;
  wiring: Pick<Wiring, 'fdRows' | 'fds' | 'contents' | 'outputRows' | 'outputPaths' | 'terminal'>;
  joins: number[];
  env: readonly string[];
  paths: readonly string[];
  group: Group | null;
}

const NO_COUNTERS: CounterFds = { counterMask: 0, counters: [], oomEventfd: false };
const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

export function startMessage(place: Place, request: ProgramRequest, parts: StartParts): StartMessage {
  const { file, args, options, limits, oneShot, notify, member } = request;
  const { core, slot } = place;
  const { pty } = options;
  return {
    oneShot,
    notify: notify || pty !== undefined,
    terminal: pty !== undefined,
    ownGroup: member !== undefined,
    findFirst: findsFirst(request),
    turns: request.turns ?? 0,
    ahead: request.ahead === true,
    callsKill: slot.shape.strict && slot.shape.seccompKill,
    family: slot.shape.strict ? SYSCALL_FAMILIES.indexOf(options.seccompFamily ?? 'any') + 1 : 0,
    programId: parts.id,
    cpuLimitNs: nanoseconds(limits.cpuTimeMs),
    wallLimitNs: nanoseconds(limits.wallTimeMs),
    memoryLimitBytes: limits.memoryBytes ?? 0,
    cpuCount: cpusOf(limits, core.machineCpus),
    cols: pty?.cols ?? DEFAULT_COLS,
    rows: pty?.rows ?? DEFAULT_ROWS,
    typed: parts.wiring.terminal?.typedAhead,
    fdRows: parts.wiring.fdRows,
    fds: parts.wiring.fds,
    contents: parts.wiring.contents,
    outputRows: parts.wiring.outputRows,
    outputPaths: parts.wiring.outputPaths,
    joins: member === undefined ? parts.joins : [...member.joins, ...parts.joins],
    rlimits: [
      ...rlimitsFor(limits, core.openFilesMax, !core.features['cpu-accounting'].available),
      ...(oneShot || !core.features['process-limit'].available
        ? taskRlimit(limits, core.countedHelpers, oneShot)
        : []),
    ],
    // A program that has the session's group to itself has the limits that the session wrote.
    ...boundGroup(slot, oneShot || member !== undefined ? parts.group : null, limits),
    ...(member?.fds ?? NO_COUNTERS),
    cwd: absolute(options.cwd, core.workDir),
    paths: [...parts.paths],
    args: [file, ...args],
    env: parts.env,
  };
}

/** Relative folders start at the work folder. */
/** The working folder of a program. */
export function absolute(cwd: string | undefined, workDir: string): string {
  if (cwd === undefined) return workDir;
  return cwd.startsWith('/') ? cwd : `${workDir}/${cwd}`;
}

/** A name without a slash may be looked for by init, which then says what it found to the program. */
export function findsFirst({ file, options }: ProgramRequest): boolean {
  return options.lookup === 'cwd-first' && !file.includes('/');
}
