/** Requests in units people think in, and their way to the wire. */
import { checkGroup } from './command-check.js';
import { MIB, msOfNs, nsOfMs, wireNumber } from './units.js';
import type { PipeMap, WireCmd, WireCopyIn, WireFile, WireRequest, WireResult } from './wire/index.js';

/**
 * Limits in ms and bytes; `Infinity` is the highest that fits the wire. What is left out has the default below: on the wire 0
 * would be no time and no memory at all.
 */
export interface RunLimits {
  /** CPU time. Default 1000. */
  cpuTimeMs?: number | undefined;
  /** Wall time. Default three times the CPU time. */
  wallTimeMs?: number | undefined;
  /** Default 256 MiB. */
  memoryBytes?: number | undefined;
  /** Default: the server's. */
  stackBytes?: number | undefined;
  /** Processes and threads. Default 64. */
  processCount?: number | undefined;
  /** 1 is one CPU. Default: unlimited. Only where the server has it switched on. */
  cpuRate?: number | undefined;
  /** CPUs to run on, as `'0-2,5'`. Default: the server's. */
  cpuSet?: string | undefined;
}

/** One program. What is not named here goes by `wire`. */
export interface RunCommand {
  /** Program and arguments. */
  args: readonly string[];
  /** The whole environment. Default: PATH alone. */
  env?: Readonly<Record<string, string>> | undefined;
  /** Standard input; a string is the text itself. Default: empty. */
  stdin?: WireFile | string | undefined;
  /** Bytes kept of stdout and of stderr. Default 1 MiB each; they come back as `files.stdout` and `files.stderr`. */
  outputBytes?: number | undefined;
  /** Descriptors instead of the three above; entry i is descriptor i. */
  files?: readonly WireFile[] | undefined;
  /** Default: those of `RunLimits`. */
  limits?: RunLimits | undefined;
  /** Files by their path in the work folder; a string is the text itself. */
  copyIn?: Readonly<Record<string, WireCopyIn | string>> | undefined;
  /** Files to come back as text. A trailing `?` makes an entry optional. */
  copyOut?: readonly string[] | undefined;
  /** Files to keep on the server; see `RunOutcome.stored`. A trailing `?` makes an entry optional. */
  copyOutCached?: readonly string[] | undefined;
  /** Bytes of each copied file. Default: the server's. */
  copyOutBytes?: number | undefined;
  /** Keeps the beginning of a file that is larger, still as a File Error. Default: nothing of it. */
  copyOutTruncate?: boolean | undefined;
  /** One terminal for all streams and collectors. Default: none. */
  tty?: boolean | undefined;
  /** Fields as on the wire, over all others. */
  wire?: Partial<WireCmd> | undefined;
}

/** Programs that run together, and the pipes between them. */
export interface RunGroup {
  /** Programs that run at the same time. */
  commands: readonly RunCommand[];
  /** `in` writes, `out` reads. In the place of what a command has there by default; in `files` it must be `null`. */
  pipes?: readonly PipeMap[] | undefined;
}

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

/** Enough for shells, compilers and runtimes with threads of their own; one alone is what no script can start with. */
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
