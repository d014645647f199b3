/** Requests in units people think in, and their way to the wire. */
import type { RunCommand, RunGroup, RunLimits } from './command.js';
import { checkGroup } from './command-check.js';
import { MIB, msOfNs, nsOfMs, wireNumber } from './units.js';
import type { PipeMap, WireCmd, WireFile, WireRequest, WireResult } from './wire/index.js';

const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

/** As it goes over the wire; `requestId` for `/ws`. Throws `GOJUDGE_REQUEST` for what no command can mean. */
export function toWireRequest(group: RunGroup, requestId?: string): WireRequest {
  checkGroup(group);
  const { commands, pipes } = group;
  const request: WireRequest = {
    cmd: commands.map((command, index) => toWireCmd(command, pipedFds(pipes, index))),
  };
  if (pipes !== undefined) request.pipeMapping = [...pipes];
  return requestId === undefined ? request : { requestId, ...request };
}

function pipedFds(pipes: readonly PipeMap[] = [], index: number): ReadonlySet<number> {
  const ends = pipes.flatMap((pipe) => [pipe.in, pipe.out]);
  return new Set(ends.filter((end) => end?.index === index).map(({ fd }) => fd));
}

function toWireCmd(command: RunCommand, piped: ReadonlySet<number>): WireCmd {
  const { args, env = { PATH: DEFAULT_PATH }, copyIn = {}, copyOut, copyOutCached, copyOutBytes } = command;
  const { copyOutTruncate, tty } = command;
  const copied = Object.entries(copyIn).map(([path, file]) => [path, textOr(file)]);
  return {
    args: [...args],
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    files: [...(command.files ?? standardFiles(command, piped))],
    ...toWireLimits(command.limits ?? {}),
    ...(copied.length > 0 && { copyIn: Object.fromEntries(copied) }),
    ...(copyOut !== undefined && { copyOut: [...copyOut] }),
    ...(copyOutCached !== undefined && { copyOutCached: [...copyOutCached] }),
    ...(copyOutBytes !== undefined && { copyOutMax: wireNumber(copyOutBytes) }),
    ...(copyOutTruncate !== undefined && { copyOutTruncate }),
    ...(tty !== undefined && { tty }),
    ...command.wire,
  };
}

function standardFiles(
  { stdin = '', outputBytes = MIB }: RunCommand,
  piped: ReadonlySet<number>,
): WireFile[] {
  const max = wireNumber(outputBytes);
  const files: WireFile[] = [textOr(stdin), { name: 'stdout', max }, { name: 'stderr', max }];
  return files.map((file, fd) => (piped.has(fd) ? null : file));
}

function textOr<T>(file: T | string): T | { content: string } {
  return typeof file === 'string' ? { content: file } : file;
}

function toWireLimits(limits: RunLimits): Partial<WireCmd> {
  const {
    cpuTimeMs = 1000,
    wallTimeMs = cpuTimeMs * 3,
    memoryBytes = 256 * MIB,
    processCount = PROCESS_COUNT,
  } = limits;
  return {
    cpuLimit: nsOfMs(cpuTimeMs),
    clockLimit: nsOfMs(wallTimeMs),
    memoryLimit: wireNumber(memoryBytes),
    procLimit: Math.min(processCount, PROCESS_COUNT_MAX),
    ...(limits.stackBytes !== undefined && { stackLimit: wireNumber(limits.stackBytes) }),
    ...(limits.cpuRate !== undefined && { cpuRateLimit: Math.round(limits.cpuRate * 1000) }),
    ...(limits.cpuSet !== undefined && { cpuSetLimit: limits.cpuSet }),
  };
}

/**
 * Enough for shells, compilers and runtimes with threads of their own; one alone is what no script can start
 * with.
 */
const PROCESS_COUNT = 64;
/** The kernel's own maximum; more is refused. */
const PROCESS_COUNT_MAX = 4_194_304;

/** A result in ms and bytes. */
export interface RunFigures {
  /** User and system, all processes. */
  cpuTimeMs: number;
  /** From the start of the program to its end. */
  wallTimeMs: number;
  /** Peak, as the cgroup counts it: files in memory count. */
  memoryBytes: number;
  /** Most processes and threads at once; `null` where the server does not say. */
  processPeakCount: number | null;
}

/** A result of the wire in ms and bytes. */
export function figuresOf({ time, runTime, memory, procPeak }: WireResult): RunFigures {
  return {
    cpuTimeMs: msOfNs(time),
    wallTimeMs: msOfNs(runTime),
    memoryBytes: memory,
    processPeakCount: procPeak ?? null,
  };
}
