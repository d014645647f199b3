/** Maps init's report and the collected outputs to the caller's result. */

import type { EngineCore } from '../engine/core.js';
import { ProgramError } from '../errors.js';
import { type CopiedOut, copyOut, noFiles } from '../files/copy-out.js';
import { CopyOutBudget, NO_BOUND } from '../files/copy-out-budget.js';
import type { WorkFolder } from '../files/trees.js';
import { type EndedMessage, loadNative } from '../native/native.js';
import type { ResolvedLimits } from '../options/limits.js';
import { EMPTY_OUTPUT, type Output } from '../streams/output.js';
import type { FileError, OutputFile } from '../types/files.js';
import type { Degradation, Feature, Status, Usage } from '../types/limits.js';
import type { ProgramOptions, RunOptions } from '../types/program.js';
import type { RunResult } from '../types/result.js';
import type { HostCause } from './killing.js';
import { decideVerdict } from './verdict.js';

export interface ResultParts {
  ended: EndedMessage;
  limits: ResolvedLimits;
  outputs: ReadonlyMap<number, Output>;
  /** Those among them were asked for by number. */
  fds: ProgramOptions['fds'];
  files: Record<string, OutputFile>;
  fileErrors: FileError[];
  /** Its guarantees. */
  engine: Pick<EngineCore, 'features' | 'missing' | 'asked'>;
  /** Others ran concurrently in groups below its own: their memory and tasks are in its peaks. */
  hadConcurrent: boolean;
  /** The filter of system calls may answer with SIGSYS. */
  filterKills: boolean;
  /** Tasks of the helper in the group. */
  helperTasks: number;
  /** Live readings already given, which the end may not fall below. */
  atLeast: { cpuTimeMs: number; memoryPeakBytes: number } | undefined;
}

const NS_PER_MS = 1e6;
const SIGKILL = 9;

const NOTHING_TOLD = { cpuTimeMs: 0, memoryPeakBytes: 0 };

class ProgramResult implements RunResult {
  readonly status: Status;
  readonly evidence: string;
  readonly ok: boolean;
  readonly exitCode: number | null;
  readonly exitSignal: string | null;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly outputs: Record<number, Output>;
  readonly usage: Usage;
  readonly files: Record<string, OutputFile>;
  readonly fileErrors: FileError[];
  readonly degraded: Degradation[];
  readonly #limits: ResolvedLimits;

  constructor(parts: ResultParts) {
    const { ended, limits, outputs, files, fileErrors, filterKills, helperTasks } = parts;
    const told = parts.atLeast ?? NOTHING_TOLD;
    const hasMark = !parts.engine.missing.includes('memory-peak');
    const peakSeen = hasMark ? 0 : seenPeak(ended, limits.memoryBytes);
    const processPeakCount = peakTasks(ended, helperTasks);
    const record = {
      waitStatus: ended.waitStatus,
      cause: ended.cause,
      cpuTimeNs: ended.cpuNs ?? 0,
      wallTimeNs: ended.wallNs,
      memoryPeakBytes: peakMemory(ended),
      fileCacheBytes: ended.fileCacheBytes,
      oomKillCount: ended.oomKillCount,
      processPeakCount,
    };
    const copyOutFailed = fileErrors.length > 0;
    const verdict = decideVerdict({ record, limits, copyOutFailed, filterKills });
    this.#limits = limits;
    this.status = verdict.status;
    this.evidence = verdict.evidence;
    this.ok = verdict.status === 'ok';
    this.exitCode = verdict.exitCode;
    this.exitSignal = verdict.exitSignal;
    this.stdout = outputs.get(1) ?? EMPTY_OUTPUT;
    this.stderr = outputs.get(2) ?? EMPTY_OUTPUT;
    this.outputs = byNumber(outputs, parts.fds);
    this.usage = {
      cpuTimeMs: Math.max(record.cpuTimeNs / NS_PER_MS, told.cpuTimeMs),
      wallTimeMs: record.wallTimeNs / NS_PER_MS,
      memoryPeakBytes: atLeast(verdict.memoryPeakBytes, Math.max(told.memoryPeakBytes, peakSeen)),
      fileCacheBytes: ended.fileCacheBytes,
      processPeakCount,
    };
    this.files = files;
    this.fileErrors = fileErrors;
    const degraded = parts.engine.missing.length === 0 ? [] : degradationsFor(parts.engine, limits);
    this.degraded = processPeakCount === null ? withPeakUnknown(degraded) : degraded;
    if (ended.cpuNs === null) this.degraded = withCpuUnknown(this.degraded);
    if (parts.hadConcurrent) this.degraded = withSharedPeaks(this.degraded);
  }

  orThrow(): this {
    if (!this.ok) throw new ProgramError(this, this.#limits);
    return this;
  }
}

export function makeResult(parts: ResultParts): RunResult {
  return new ProgramResult(parts);
}

/** Closes the descriptors of a result that the caller does not get. */
export function closeResultFds({ stdout, stderr, outputs, files }: RunResult): void {
  closeAll([stdout, stderr, ...Object.values(outputs), ...Object.values(files)]);
}

/** Outputs and copied files of a program that has ended. */
export interface Collected extends CopiedOut {
  outputs: ReadonlyMap<number, Output>;
}

/** What a program may bring out, outputs and files together. */
export function copyOutBudget({ copyOutTotalBytes }: Pick<RunOptions, 'copyOutTotalBytes'>): CopyOutBudget {
  return copyOutTotalBytes === undefined ? NO_BOUND : new CopyOutBudget(copyOutTotalBytes);
}

/** Shared by all results, therefore frozen. Their lists are their own: what a caller adds is in no other. */
const NO_FILES = Object.freeze(noFiles().files);

/**
 * Copies the files out. When that fails the caller does not get the outputs either, so their descriptors are
 * closed.
 */
export function copyOutFiles(
  outputs: ReadonlyMap<number, Output>,
  folder: WorkFolder,
  { copyOut: wanted, copyOutMaxBytes }: Pick<RunOptions, 'copyOut' | 'copyOutMaxBytes'>,
  budget: CopyOutBudget,
): Collected {
  if (wanted === undefined) return { outputs, files: NO_FILES, errors: [] };
  try {
    return { outputs, ...copyOut(folder, wanted, copyOutMaxBytes, budget) };
  } catch (error) {
    closeOutputs(outputs);
    throw error;
  }
}

/** Closes the descriptors of outputs that the caller does not get. */
export function closeOutputs(outputs: ReadonlyMap<number, Output>): void {
  closeAll([...outputs.values()]);
}

function closeAll(all: readonly { fd: number | null }[]): void {
  const fds = new Set(all.map(({ fd }) => fd).filter((fd) => fd !== null));
  if (fds.size > 0) loadNative().native.closeFds([...fds]);
}

/** The end of a killed program whose report has not come: what the host measured itself. */
export function unreportedEnd(
  programId: number,
  usage: Usage,
  measuresCpu: boolean,
  cause: HostCause,
): EndedMessage {
  return {
    kind: 'ended',
    programId,
    waitStatus: SIGKILL,
    cause,
    cpuNs: measuresCpu ? usage.cpuTimeMs * NS_PER_MS : null,
    wallNs: usage.wallTimeMs * NS_PER_MS,
    memoryPeakBytes: usage.memoryPeakBytes,
    fileCacheBytes: null,
    oomKillCount: 0,
    taskPeak: null,
    taskPeakBefore: null,
    maxRssBytes: 0,
    outputs: undefined,
  };
}

function atLeast(value: number | null, least: number): number | null {
  return value === null ? null : Math.max(value, least);
}

/** The kernel charges groups in batches of 64 pages per CPU: below one batch it sees no difference. */
const CHARGE_BATCH_BYTES = 256 * 1024;

/** The group's mark; for tiny programs the main process's own; without a group that is all there is. */
function peakMemory({ memoryPeakBytes, maxRssBytes }: EndedMessage): number | null {
  if (memoryPeakBytes === null) return maxRssBytes > 0 ? maxRssBytes : null;
  return Math.max(memoryPeakBytes, Math.min(maxRssBytes, CHARGE_BATCH_BYTES));
}

/**
 * Where nothing keeps a mark, what is known besides what was seen: the main process's own, in which pages of
 * files count that others have paid for, and that the limit was met.
 */
function seenPeak({ maxRssBytes, oomKillCount }: EndedMessage, limit: number | null): number {
  if (limit === null) return maxRssBytes;
  return oomKillCount > 0 ? limit : Math.min(maxRssBytes, limit);
}

/**
 * The group's high-water mark less our own tasks. When it did not rise, the program stayed at or below what
 * an earlier one in the same sandbox reached, which is only an answer when that was a single task.
 */
function peakTasks({ taskPeak, taskPeakBefore }: EndedMessage, helperTasks: number): number | null {
  if (taskPeak === null) return null;
  const peak = Math.max(1, taskPeak - helperTasks);
  return peak === 1 || taskPeakBefore === null || taskPeak > taskPeakBefore ? peak : null;
}

function withPeakUnknown(degraded: Degradation[]): Degradation[] {
  if (degraded.some(({ feature }) => feature === 'process-peak')) return degraded;
  const reason =
    'an earlier program in the same sandbox had more processes, and the kernel keeps one mark for both';
  return [...degraded, { feature: 'process-peak', reason }];
}

/** The figure is then the highest live reading, or 0. */
function withCpuUnknown(degraded: Degradation[]): Degradation[] {
  const reason = 'the report of its end did not come in time, and no counter of a cgroup was there to read';
  const feature = 'cpu-accounting';
  return [...degraded.filter((other) => other.feature !== feature), { feature, reason }];
}

const SHARED_PEAKS: readonly Degradation[] = (['memory-peak', 'process-peak'] as const).map((feature) => ({
  feature,
  reason: 'other programs ran in the same sandbox at the same time, and its high-water mark includes theirs',
}));

function withSharedPeaks(degraded: Degradation[]): Degradation[] {
  const said = new Set(degraded.map(({ feature }) => feature));
  return [...degraded, ...SHARED_PEAKS.filter(({ feature }) => !said.has(feature))];
}

const NO_OUTPUTS: Record<number, Output> = Object.freeze({});

function byNumber(outputs: ReadonlyMap<number, Output>, fds: ProgramOptions['fds']): Record<number, Output> {
  if (fds === undefined) return NO_OUTPUTS;
  const named: Record<number, Output> = {};
  for (const [target, output] of outputs) if (fds[target] !== undefined) named[target] = output;
  return named;
}

/** The limit that needs a guarantee; `'always'`: every program does. */
const NEEDED_FOR: Readonly<Partial<Record<Feature, keyof ResolvedLimits | 'always'>>> = {
  'cpu-accounting': 'always',
  'memory-peak': 'always',
  'process-peak': 'always',
  'memory-limit': 'memoryBytes',
  'swap-limit': 'memoryBytes',
  'kernel-memory-limit': 'memoryBytes',
  'process-limit': 'processCount',
  'cpu-rate': 'cpuRate',
  'cpu-weight': 'cpuWeight',
  'cpu-set': 'cpuSet',
};

/** Said in `degraded`: the guarantee is missing, but something is done in its place. */
const INSTEAD: Readonly<Partial<Record<Feature, string>>> = {
  'memory-peak':
    'instead the figure is the most that was seen, every few milliseconds and of the main process at its end',
  'memory-limit':
    'instead the memory of its processes is added up every few milliseconds, and the program killed when that is above the limit',
};

/** The guarantees that a program with these limits does not get. */
function degradationsFor(
  { features, missing, asked }: ResultParts['engine'],
  limits: ResolvedLimits,
): Degradation[] {
  const isWanted = (feature: Feature) => {
    const limit = NEEDED_FOR[feature];
    if (limit === 'always' || asked.includes(feature)) return true;
    return limit !== undefined && limits[limit] !== null;
  };
  return missing.filter(isWanted).map((feature) => {
    const reasons = [features[feature].reason, INSTEAD[feature]];
    return { feature, reason: reasons.filter((reason) => reason != null).join('; ') };
  });
}
