/** One program of a request as the engine takes it, or why it is not even tried. */
import type { GroupProgram, Limits, PtyOptions } from '@sbx/core';
import { StartFailure } from '../errors.js';
import { makeCopyOut } from './collect-outputs.js';
import { type CopyIn, makeCopyIn } from './copy-in.js';
import { BAD_CPU_SET, plainCpuList } from './cpu-list.js';
import type { JobLimits, JobProgram } from './job.js';
import { notStarted, type ProgramResult } from './program-result.js';
import type { RunScope } from './scope.js';
import type { Settings } from './settings.js';
import { type Collector, collectorsOf, keptBytes, makeFds } from './stdio.js';

const NS_PER_MS = 1e6;
/** Least and most that the engine takes; the verdict follows the request's own figures all the same. */
const TIME_MS_MIN = 0.001;
const TIME_MS_MAX = 9_000_000_000;
const MEMORY_BYTES_MIN = 4096;
const ADDRESS_SPACE_BYTES_MIN = 1_048_576;
const STACK_BYTES_MIN = 131_072;
const PROCESSES_MAX = 4_194_304;
/** 1 ms of the default period. */
const CPU_RATE_MIN = 10;

/** Descriptors that pipes of the group fill. */
type Taken = ReadonlySet<number>;

export interface Plan {
  index: number;
  program: JobProgram;
  /** What is collected. */
  collectors: Collector[];
  /** `null`: see `failure`. */
  request: GroupProgram | null;
  failure: StartFailure | ProgramResult | null;
}

/** Throws `RunFailure`. */
export function planProgram(
  scope: RunScope,
  program: JobProgram,
  index: number,
  taken: Taken,
): Plan | Promise<Plan> {
  const plan: Plan = { index, program, collectors: collectorsOf(program), request: null, failure: null };
  if (program.copyIn.length === 0) return complete(scope, plan, taken);
  const copied = makeCopyIn(scope, program);
  return copied instanceof Promise
    ? copied.then((copyIn) => complete(scope, plan, taken, copyIn))
    : complete(scope, plan, taken, copied);
}

function complete(scope: RunScope, plan: Plan, taken: Taken, copyIn?: CopyIn): Plan {
  const failed = copyIn?.failed ?? null;
  if (failed !== null) {
    plan.failure = notStarted('File Error', failed.failure!.error, failed);
    return plan;
  }
  try {
    plan.request = makeRequest(scope, plan, taken, copyIn?.files);
  } catch (error) {
    if (!(error instanceof StartFailure)) throw error;
    plan.failure = error;
  }
  return plan;
}

function makeRequest(
  scope: RunScope,
  { program, collectors }: Plan,
  taken: Taken,
  files?: CopyIn['files'],
): GroupProgram {
  const { settings, cpuSet } = scope;
  // In go-judge's order: descriptors, its group, what it hands over to the sandbox, what happens in there.
  const fds = makeFds(scope, program, collectors, taken);
  const limits = engineLimits(program.limits, settings, cpuSet);
  checkHandedOver(program, taken);
  const file = programName(program);
  return {
    file,
    args: program.args.slice(1),
    env: [...settings.env, ...program.env],
    lookup: 'cwd-first',
    limits,
    ...(program.tty ? { pty: terminalOf(scope, program, collectors) } : {}),
    fds,
    ...(files === undefined ? {} : { files }),
    copyOutTotalBytes: scope.budget.shareBytes,
    ...(program.copyOut.length === 0 ? {} : { copyOut: makeCopyOut(program, settings.workDir) }),
  };
}

function checkHandedOver({ files }: JobProgram, taken: Taken): void {
  if (files.some((file, fd) => file === null && !taken.has(fd))) {
    throw new StartFailure('execve: recvReply send msg: write unixpacket @: sendmsg: bad file descriptor');
  }
}

function programName({ args, env }: JobProgram): string {
  const [name] = args;
  if (name === undefined) throw new StartFailure('execve: recvReply recv msg: read unixpacket @->@: EOF');
  if (args.some(hasNul) || env.some(hasNul)) {
    throw new StartFailure(`execve: start: ${name}: invalid argument`);
  }
  if (name === '') throw new StartFailure('start: : execve: no such file or directory');
  return name;
}

function hasNul(text: string): boolean {
  return text.includes('\0');
}

/** Its controlling terminal is that of descriptor 0, which so must be one. */
function terminalOf(
  { settings }: RunScope,
  { args, files }: JobProgram,
  collectors: readonly Collector[],
): PtyOptions {
  const first = files[0];
  if (first == null || first.kind === 'src' || first.kind === 'stored') {
    throw new StartFailure(`execve: start: ${args[0]}: ioctl: inappropriate ioctl for device`);
  }
  const content = files.find((file) => file?.kind === 'content');
  const isStreamed = files.some((file) => file?.kind === 'stream-out');
  const maxBytes = collectors.length === 0 ? settings.collectMaxBytes : keptBytes(collectors[0]!, settings);
  return {
    cols: 0,
    rows: 0,
    term: null,
    ...(content === undefined ? {} : { input: { text: content.text } }),
    ...(isStreamed ? {} : { capture: { maxBytes, overflow: 'hangup' } }),
  };
}

/** A job's limits to the engine's. Throws `StartFailure` for what a cgroup refuses. */
function engineLimits(limits: JobLimits, settings: Settings, workerCpuSet: string | null): Limits {
  const memoryBytes = Math.min(limits.memoryBytes + settings.extraMemoryBytes, Number.MAX_SAFE_INTEGER);
  const withoutGroups = settings.runnerConfig.cgroupType === 0;
  return {
    cpuTimeMs: milliseconds(limits.cpuNs + settings.tickMs * NS_PER_MS),
    wallTimeMs: milliseconds(nextTick(limits.clockNs / NS_PER_MS, settings.tickMs) * NS_PER_MS),
    memoryBytes: Math.max(MEMORY_BYTES_MIN, memoryBytes),
    dataBytes: limits.dataSegment || withoutGroups ? Math.max(MEMORY_BYTES_MIN, memoryBytes) : null,
    addressSpaceBytes: limits.addressSpace ? Math.max(ADDRESS_SPACE_BYTES_MIN, memoryBytes) : null,
    processCount: processCount(limits),
    stackBytes: stackBytes(limits, memoryBytes, settings),
    fileBytes: settings.outputLimitBytes,
    openFileCount: settings.openFileLimit,
    diskBytes: settings.diskBytes,
    diskFileCount: settings.diskFileCount,
    cpuRate: cpuRate(limits, settings),
    cpuSet: cpuSet(limits.cpuSet || workerCpuSet),
  };
}

/** A list that names no CPU is none, as where the kernel has cgroup v2. */
function cpuSet(text: string | null): string | null {
  if (text === null) return null;
  const list = plainCpuList(text);
  if (list === null) throw new StartFailure(BAD_CPU_SET);
  return list || null;
}

/** The first look at which more than this has passed; without ticks, right then. */
function nextTick(ms: number, tickMs: number): number {
  return tickMs === 0 ? ms : (Math.floor(ms / tickMs) + 1) * tickMs;
}

function milliseconds(ns: number): number {
  return Math.min(TIME_MS_MAX, Math.max(TIME_MS_MIN, ns / NS_PER_MS));
}

function processCount({ processCount: asked }: JobLimits): number {
  if (asked <= PROCESSES_MAX) return Math.max(1, asked);
  throw new StartFailure('execve: cgroup: failed to set process limit: write pids.max: invalid argument');
}

function stackBytes(
  { stackBytes: asked }: JobLimits,
  memoryBytes: number,
  settings: Settings,
): number | null {
  if (asked === 0) return settings.ownStackBytes;
  return Math.max(STACK_BYTES_MIN, Math.min(asked, memoryBytes));
}

function cpuRate({ cpuRate: asked }: JobLimits, settings: Settings): number | null {
  if (!settings.enableCpuRate || asked === 0) return null;
  if (asked >= CPU_RATE_MIN) return Math.min(asked / 1000, 4096);
  throw new StartFailure(
    'execve: cgroup: failed to set cpu rate limit: write cpu.cfs_quota_us: invalid argument',
  );
}
