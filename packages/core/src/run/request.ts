/**
 * The request for one program and what is made of it for its start: its environment, the paths at which it is
 * looked for, its descriptors, and the start message that init gets.
 */

import type { GroupCounters } from '../cgroup/counters.js';
import type { Group } from '../cgroup/group.js';
import type { EngineCore } from '../engine/core.js';
import type { CounterFds, StartMessage } from '../native/native.js';
import { SYSCALL_FAMILIES } from '../native/tables.js';
import { DEFAULT_ENV } from '../options/defaults.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { StartAttempt } from '../pool/failures.js';
import type { Environment, ProgramOptions, RunOptions } from '../types/program.js';
import {
  boundGroup,
  cpusOf,
  nanoseconds,
  rlimitsFor,
  searchPaths,
  searchPathsCwdFirst,
  taskRlimit,
} from './plan.js';
import type { SandboxLease, SignalCause } from './sandbox-lease.js';
import { callbackFor } from './stdio/callbacks.js';
import { type GivenFd, Stdio } from './stdio/stdio.js';

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
  concurrency?: Concurrency;
  /** Cgroup of its own, when it runs concurrently with others in one sandbox. */
  member?: Group;
}

/** Of the program that uses the sandbox's group, below which the groups of others lie. */
export interface Concurrency {
  /** Others ran at the same time, so that its peaks include theirs. */
  others: boolean;
  /** CPU time that others have used since its start. */
  othersCpuNs: () => number;
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

const DEFAULT_TERM = 'xterm-256color';
const SIGKILL = 9;
const NO_COUNTERS: CounterFds = { counterMask: 0, counters: [], oomEventfd: false };
const DEFAULT_COLS = 80;
const DEFAULT_ROWS = 24;

/**
 * The default PATH, also where a caller has repeated it, with toolchains before it. Another one is the
 * caller's own.
 */
function withToolchains(environment: readonly string[], toolchainPath: string): readonly string[] {
  const ordinary = `PATH=${DEFAULT_ENV.PATH}`;
  return environment.map((variable) =>
    variable === ordinary ? `PATH=${toolchainPath}${DEFAULT_ENV.PATH}` : variable,
  );
}

/**
 * The program's own environment, else the sandbox's, else the default; with a terminal TERM is added, unless
 * `null` says no.
 */
export function environmentFor(
  options: ProgramOptions,
  ofSandbox: Environment | undefined,
  toolchainPath = '',
): readonly string[] {
  const given = stringsOf(options.env ?? ofSandbox ?? DEFAULT_ENV);
  const strings = toolchainPath === '' ? given : withToolchains(given, toolchainPath);
  return options.pty === undefined ? strings : withTerm(strings, options.pty.term);
}

/** PATH of an environment, the last one when there are several; `undefined` without one. */
export function pathOf(environment: readonly string[]): string | undefined {
  return environment.findLast((variable) => variable.startsWith('PATH='))?.slice('PATH='.length);
}

function stringsOf(environment: Environment): readonly string[] {
  if (Array.isArray(environment)) return environment as readonly string[];
  return Object.entries(environment).map(([name, value]) => `${name}=${value}`);
}

function withTerm(environment: readonly string[], term: string | null | undefined): readonly string[] {
  if (term === null) return environment;
  const isTerm = (variable: string) => variable.startsWith('TERM=');
  if (term === undefined && environment.some(isTerm)) return environment;
  return [...environment.filter((variable) => !isTerm(variable)), `TERM=${term ?? DEFAULT_TERM}`];
}

/** The paths at which a program is looked for, for the start message and for an error about it. */
export function attemptOf(
  request: ProgramRequest,
  environment: readonly string[],
  { workDir, hasMinimalRoot }: Pick<EngineCore, 'workDir' | 'hasMinimalRoot'>,
): StartAttempt {
  const { file, options } = request;
  const path = pathOf(environment);
  const first = findsFirst(request);
  return {
    file,
    cwd: options.cwd ?? workDir,
    paths: (first ? searchPathsCwdFirst : searchPaths)(file, path),
    findsFirst: first,
    minimalRoot: hasMinimalRoot,
    noPath: !file.includes('/') && path === undefined,
  };
}

/** The descriptors that a request asks for; `program` is told when something is wrong with them. */
export function stdioFor(
  { core, folder }: SandboxLease,
  { options, limits, oneShot, given }: ProgramRequest,
  program: { signal: (signal: number, cause: SignalCause) => void; fail: (error: unknown) => void },
): Stdio {
  return new Stdio({
    folder,
    options,
    outputBytes: limits.outputBytes,
    given: given ?? [],
    files: options.files,
    makesInputs: oneShot && core.options.proc !== 'none',
    makesOutputs: oneShot && given === undefined,
    onOverflow: () => program.signal(SIGKILL, 'output-limit'),
    onSourceError: program.fail,
    onData: (target) => callbackFor(target, options, program.fail),
  });
}

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
    cpuCount: cpusOf(limits, core.usableCpus, oneShot && core.features['cpu-set'].available),
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

/** Tasks of the helper in the group that counts the program. */
export function helperTasksOf({ slot }: SandboxLease, { member }: ProgramRequest): number {
  return member === undefined ? slot.cgroup.helperTasks : 0;
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
