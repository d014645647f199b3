/** Requests in units people think in, and their way to the wire. */
import type { PipeMap, WireCmd, WireCopyIn, WireFile, WireRequest, WireResult } from './wire/index.js';

/** Limits in ms and bytes. What is left out has the default below: on the wire 0 would be no time and no memory at all. */
export interface RunLimits {
  /** CPU time. Default 1000. */
  cpuTimeMs?: number;
  /** Wall time. Default three times the CPU time. */
  wallTimeMs?: number;
  /** Default 256 MiB. */
  memoryBytes?: number;
  /** Default: the server's. */
  stackBytes?: number;
  /** Processes and threads. Default 1. */
  processCount?: number;
  /** 1 is one CPU. Default: unlimited. */
  cpuRate?: number;
  cpuSet?: string;
}

/** One program. What is not named here goes by `wire`. */
export interface RunCommand {
  /** Program and arguments. */
  args: readonly string[];
  /** The whole environment. Default: PATH alone. */
  env?: Readonly<Record<string, string>>;
  /** Standard input. Default: empty. */
  stdin?: WireFile;
  /** Bytes kept of stdout and of stderr. Default 1 MiB each; they come back as `files.stdout` and `files.stderr`. */
  outputBytes?: number;
  /** Descriptors instead of the three above; entry i is descriptor i. */
  files?: WireFile[];
  limits?: RunLimits;
  copyIn?: Readonly<Record<string, WireCopyIn | string>>;
  /** A trailing `?` makes an entry optional. */
  copyOut?: readonly string[];
  /** Files to keep on the server; see `RunOutcome.stored`. */
  copyOutCached?: readonly string[];
  copyOutBytes?: number;
  tty?: boolean;
  /** Fields as on the wire, over all others. */
  wire?: Partial<WireCmd>;
}

/** Programs that run together, and the pipes between them. */
export interface RunGroup {
  commands: readonly RunCommand[];
  pipes?: readonly PipeMap[];
}

const NS_PER_MS = 1e6;
const MiB = 2 ** 20;
const DEFAULT_PATH = '/usr/local/bin:/usr/bin:/bin';

export function toWireRequest({ commands, pipes }: RunGroup, requestId?: string): WireRequest {
  const request: WireRequest = { cmd: commands.map(toWireCmd) };
  if (pipes !== undefined) request.pipeMapping = [...pipes];
  return requestId === undefined ? request : { requestId, ...request };
}

function toWireCmd(command: RunCommand): WireCmd {
  const {
    args,
    env = { PATH: DEFAULT_PATH },
    copyIn = {},
    copyOut,
    copyOutCached,
    copyOutBytes,
    tty,
  } = command;
  const cmd: WireCmd = {
    args: [...args],
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    files: command.files ?? standardFiles(command),
    ...toWireLimits(command.limits ?? {}),
  };
  if (Object.keys(copyIn).length > 0)
    cmd.copyIn = Object.fromEntries(Object.entries(copyIn).map(toWireCopyIn));
  if (copyOut !== undefined) cmd.copyOut = [...copyOut];
  if (copyOutCached !== undefined) cmd.copyOutCached = [...copyOutCached];
  if (copyOutBytes !== undefined) cmd.copyOutMax = copyOutBytes;
  if (tty !== undefined) cmd.tty = tty;
  return { ...cmd, ...command.wire };
}

function standardFiles({ stdin = { content: '' }, outputBytes = MiB }: RunCommand): WireFile[] {
  return [stdin, { name: 'stdout', max: outputBytes }, { name: 'stderr', max: outputBytes }];
}

function toWireLimits(limits: RunLimits): Partial<WireCmd> {
  const { cpuTimeMs = 1000, wallTimeMs = cpuTimeMs * 3, memoryBytes = 256 * MiB, processCount = 1 } = limits;
  const wire: Partial<WireCmd> = {
    cpuLimit: Math.round(cpuTimeMs * NS_PER_MS),
    clockLimit: Math.round(wallTimeMs * NS_PER_MS),
    memoryLimit: memoryBytes,
    procLimit: processCount,
  };
  if (limits.stackBytes !== undefined) wire.stackLimit = limits.stackBytes;
  if (limits.cpuRate !== undefined) wire.cpuRateLimit = Math.round(limits.cpuRate * 1000);
  if (limits.cpuSet !== undefined) wire.cpuSetLimit = limits.cpuSet;
  return wire;
}

function toWireCopyIn([path, file]: [string, WireCopyIn | string]): [string, WireCopyIn] {
  return [path, typeof file === 'string' ? { content: file } : file];
}

/** A result in ms and bytes, the wire's own beside it. */
export interface RunFigures {
  cpuTimeMs: number;
  wallTimeMs: number;
  memoryBytes: number;
  /** `null` where the server does not say. */
  processPeakCount: number | null;
}

export function figuresOf({ time, runTime, memory, procPeak }: WireResult): RunFigures {
  return {
    cpuTimeMs: time / NS_PER_MS,
    wallTimeMs: runTime / NS_PER_MS,
    memoryBytes: memory,
    processPeakCount: procPeak ?? null,
  };
}
