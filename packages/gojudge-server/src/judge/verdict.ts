/**
 * How the engine says that a program ended, to its outcome, by go-judge's rule for status and exitStatus:
 * five steps, later ones over earlier ones.
 */
import { type RunResult, signalNumber } from '@sbx/core';
import type { WireStatus } from '@sbx/gojudge-client/wire';
import { collectOutputs } from './collect-outputs.js';
import type { JobLimits } from './job.js';
import type { Plan } from './plan.js';
import type { CollectedFiles, ProgramResult } from './program-result.js';
import type { RunScope } from './scope.js';

type Ended = Pick<RunResult, 'status' | 'exitCode' | 'exitSignal' | 'usage'>;

const NS_PER_MS = 1e6;
const SIGKILL = 9;

/** Who dies of these was over a limit, until the figures say otherwise; the rest is `Signalled`. */
const BY_SIGNAL: Readonly<Record<string, WireStatus>> = {
  SIGKILL: 'Time Limit Exceeded',
  SIGXCPU: 'Time Limit Exceeded',
  SIGXFSZ: 'Output Limit Exceeded',
  SIGSYS: 'Dangerous Syscall',
};

/** A promise only where something goes to the store. */
export function mapResult(
  scope: RunScope,
  plan: Plan,
  result: RunResult,
): ProgramResult | Promise<ProgramResult> {
  const { program, collectors } = plan;
  const tellsPeak = scope.settings.runnerConfig.cgroupType === 2;
  const collected = collectOutputs(scope, program, collectors, result);
  return collected instanceof Promise
    ? collected.then((done) => decideResult(result, program.limits, done, tellsPeak))
    : decideResult(result, program.limits, collected, tellsPeak);
}

export function decideResult(
  ended: Ended,
  limits: JobLimits,
  collected: CollectedFiles,
  tellsPeak: boolean,
): ProgramResult {
  const { files, fileIds, fileErrors } = collected;
  const { cpuTimeMs, wallTimeMs, processPeakCount } = ended.usage;
  const { status, exitStatus } = byWaitStatus(ended);
  const outcome: ProgramResult = {
    status,
    exitStatus,
    error: '',
    timeNs: Math.round(cpuTimeMs * NS_PER_MS),
    memoryBytes: ownMemoryBytes(ended, limits.memoryBytes),
    runTimeNs: Math.round(wallTimeMs * NS_PER_MS),
    processPeak: tellsPeak ? (processPeakCount ?? 0) : 0,
    files,
    fileIds,
    fileErrors,
  };
  if (ended.exitCode === 0 && collected.failure !== null) {
    outcome.status = collected.failure.status;
    outcome.error = collected.failure.error;
  }
  byFigures(outcome, ended.status, limits);
  return outcome;
}

/**
 * The peak; a deviation where files that were read or written have filled the group up to its limit, which is
 * above the request's own: what the kernel drops for the asking is no use of the program, and it is told as
 * the request's limit.
 */
function ownMemoryBytes({ status, usage }: Ended, limit: number): number {
  const { memoryPeakBytes, fileCacheBytes } = usage;
  const peak = memoryPeakBytes ?? 0;
  const isCache = status !== 'memory-limit' && peak - (fileCacheBytes ?? 0) <= limit;
  return isCache ? Math.min(peak, limit) : peak;
}

function byWaitStatus({ exitCode, exitSignal }: Ended): Pick<ProgramResult, 'status' | 'exitStatus'> {
  if (exitSignal === null) {
    return { status: exitCode === 0 ? 'Accepted' : 'Nonzero Exit Status', exitStatus: exitCode ?? 0 };
  }
  return { status: BY_SIGNAL[exitSignal] ?? 'Signalled', exitStatus: signalNumber(exitSignal) ?? 0 };
}

function byFigures(outcome: ProgramResult, ended: RunResult['status'], limits: JobLimits): void {
  const killedForTime = (ended === 'cpu-limit' || ended === 'wall-limit') && outcome.exitStatus === SIGKILL;
  if (outcome.timeNs > limits.cpuNs) outcome.status = 'Time Limit Exceeded';
  if (outcome.memoryBytes > limits.memoryBytes || ended === 'memory-limit') {
    outcome.status = 'Memory Limit Exceeded';
  }
  if (
    outcome.status === 'Time Limit Exceeded' &&
    !killedForTime &&
    outcome.timeNs < limits.cpuNs &&
    outcome.runTimeNs < limits.explicitClockNs
  ) {
    outcome.status = 'Signalled';
  }
}
