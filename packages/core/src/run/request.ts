/** The request for one program, and the start message that init gets for it. */

import type { GroupCounters } from '../cgroup/counters.js';
import type { Group } from '../cgroup/group.js';
import type { CounterFds, StartMessage } from '../native/native.js';
import { SYSCALL_FAMILIES } from '../native/tables.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { Environment, RunOptions } from '../types/program.js';
import { boundGroup, cpusOf, nanoseconds, rlimitsFor, taskRlimit } from './plan.js';
import type { SandboxLease } from './sandbox-lease.js';
import type { GivenFd, Stdio } from './stdio/stdio.js';

/** A warm process, for the request that activates it. */
export interface WarmStart {
  id: number;
  /** The host's ends of its three pipes: stdin, stdout, stderr. */
  pipes: readonly number[];
  /** Counters of its sandbox before it was started, with the CPU time at its activation. */
  baseline: GroupCounters;
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
  /**
   * Spawned: exec is waited for, so that a missing program is reported at once, and the caller holds streams.
   */
  notify: boolean;
  given?: readonly GivenFd[];
  /**
   * Number of the group of programs that ask and answer each other (ping-pong), for their co-location on one
   * CPU.
   */
  pingPongGroup?: number;
  /** Started before any request for it: a warm process. */
  preStarted?: boolean;
  /** Set when a warm process serves the request. */
  warmStart?: WarmStart;
  /** `others`: others run concurrently in groups below its own, so that its peaks include theirs. */
  concurrency?: { others: boolean };
  /** Cgroup of its own, when it runs concurrently with others in one sandbox. */
  member?: Group;
}

/** The parts of a start message that are known once the descriptors are open. */
export interface StartParts {
  id: number;
  stdio: Pick<Stdio, 'fdRows' | 'fds' | 'contents' | 'outputRows' | 'outputPaths' | 'terminal'>;
  joins: number[];
  env: readonly string[];
  paths: readonly string[];
  group: Group | null;
}

const NO_COUNTERS: CounterFds = { counterMask: 0, counters: [], oomEventfd: false };
const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

export function startMessage(lease: SandboxLease, request: ProgramRequest, parts: StartParts): StartMessage {
  const { file, args, options, limits, oneShot, notify, member } = request;
  const { core, slot } = lease;
  const { pty } = options;
  return {
    oneShot,
    notify: notify || pty !== undefined,
    terminal: pty !== undefined,
    ownGroup: member !== undefined,
    findFirst: findsFirst(request),
    turns: request.pingPongGroup ?? 0,
    ahead: request.preStarted === true,
    callsKill: slot.spec.strict && slot.spec.seccompKill,
    family: slot.spec.strict ? SYSCALL_FAMILIES.indexOf(options.seccompFamily ?? 'any') + 1 : 0,
    programId: parts.id,
    cpuLimitNs: nanoseconds(limits.cpuTimeMs),
    wallLimitNs: nanoseconds(limits.wallTimeMs),
    memoryLimitBytes: limits.memoryBytes ?? 0,
    cpuCount: cpusOf(limits, core.machineCpus),
    cols: pty?.cols ?? DEFAULT_COLS,
    rows: pty?.rows ?? DEFAULT_ROWS,
    typed: parts.stdio.terminal?.typedAhead,
    fdRows: parts.stdio.fdRows,
    fds: parts.stdio.fds,
    contents: parts.stdio.contents,
    outputRows: parts.stdio.outputRows,
    outputPaths: parts.stdio.outputPaths,
    joins: member === undefined ? parts.joins : [...member.joins, ...parts.joins],
    rlimits: [
      ...rlimitsFor(limits, core.openFilesMax, !core.features['cpu-accounting'].available),
      ...(oneShot || !core.features['process-limit'].available
        ? taskRlimit(limits, core.countedHelpers, oneShot)
        : []),
    ],
    // A program that has the session's group to itself has the limits that the session wrote.
    ...boundGroup(slot.cgroup, oneShot || member !== undefined ? parts.group : null, limits),
    ...(member?.fds ?? NO_COUNTERS),
    cwd: absolute(options.cwd, core.workDir),
    paths: [...parts.paths],
    args: [file, ...args],
    env: parts.env,
  };
}

/** A program is on the CPU of its sandbox, where the engine pins sandboxes, unless it asks for others. */
export function pinned({ cpu, core }: SandboxLease, request: ProgramRequest): ProgramRequest {
  const { cpuSet } = request.limits;
  const asks = cpuSet !== null && cpuSet !== core.limits.cpuSet;
  return cpu === null || asks ? request : { ...request, limits: { ...request.limits, cpuSet: [cpu] } };
}

/** The working folder of a program; relative ones start at the work folder. */
export function absolute(cwd: string | undefined, workDir: string): string {
  if (cwd === undefined) return workDir;
  return cwd.startsWith('/') ? cwd : `${workDir}/${cwd}`;
}

/** A name without a slash may be looked for by init, which then says what it found to the program. */
export function findsFirst({ file, options }: ProgramRequest): boolean {
  return options.lookup === 'cwd-first' && !file.includes('/');
}
