/** How a program ended → the last messages of its execution. */
import type { RunResult, Status } from '@sbx/core';
import type { ExecuteMessage, ResourceUsage, TerminalStatus } from '@sbx/fathom-client/wire';

/** Why the server itself ended a program; the first reason counts. */
export type EndReason = 'cancel' | 'output-limit';

/** The last two messages. `limit`: the error `OUTPUT_LIMIT` comes before them. */
export interface Ending {
  status: TerminalStatus;
  exitCode: number | null;
  durationMs: number;
  usage: ResourceUsage;
}

/**
 * What the engine decided, in the protocol's words; `null`: ended from outside, which only a failing server
 * does.
 */
const STATUS_OF: Readonly<Record<Status, TerminalStatus | null>> = {
  ok: 'completed',
  exit: 'failed',
  signal: 'failed',
  'forbidden-syscall': 'failed',
  'file-error': 'failed',
  'output-limit': 'failed', // a file grew too large (SIGXFSZ): a signal like others
  'wall-limit': 'timeout',
  'cpu-limit': 'timeout',
  'memory-limit': 'oom',
  killed: null,
};

const REASON_STATUS: Readonly<Record<EndReason, TerminalStatus>> = {
  cancel: 'cancelled',
  'output-limit': 'failed',
};

const MB = 2 ** 20;

/**
 * Languages whose runtime aborts when its heap is full: half of the memory limit that it was told of, of
 * which it has seldom more than three quarters in use at that moment.
 */
const ABORTS_WHEN_FULL: readonly string[] = ['javascript'];
const ABORT_SHARE = 0.35;

/**
 * `null` when the sandbox is to blame. A reason of the server's own wins: it was decided first, and the kill
 * may come too late.
 */
export function endingOf(
  result: RunResult,
  reason: EndReason | null,
  { language, limits: { timeout_ms: timeoutMs, memory_mb } }: Pick<ExecuteMessage, 'language' | 'limits'>,
): Ending | null {
  const own = hasFullHeap(result, language, memory_mb) ? 'oom' : STATUS_OF[result.status];
  const status = reason === null ? own : REASON_STATUS[reason];
  if (status === null) return null;
  const exitedByItself = reason === null && (status === 'completed' || status === 'failed');
  const durationMs = Math.max(0, Math.round(result.usage.wallTimeMs));
  return {
    status,
    exitCode: exitedByItself ? result.exitCode : null,
    durationMs:
      status === 'timeout' && result.status === 'wall-limit' ? Math.max(timeoutMs, durationMs) : durationMs,
    usage: usageOf(result),
  };
}

/** By what the supervisor recorded: the signal, and how much memory there was at the most. */
function hasFullHeap({ exitSignal, usage }: RunResult, language: string, memoryMb: number): boolean {
  if (exitSignal !== 'SIGABRT' || !ABORTS_WHEN_FULL.includes(language)) return false;
  return (usage.memoryPeakBytes ?? 0) >= memoryMb * MB * ABORT_SHARE;
}

function usageOf({ usage: { cpuTimeMs, memoryPeakBytes } }: RunResult): ResourceUsage {
  return {
    ...(memoryPeakBytes === null ? {} : { peak_memory_mb: Math.ceil(memoryPeakBytes / MB) }),
    cpu_time_ms: Math.round(cpuTimeMs),
  };
}
