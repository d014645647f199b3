/**
 * What is said of an execution: what may follow what, and how the program's end becomes the last messages.
 */
import type { RunResult, Status } from '@sbx/core';
import type {
  ExecuteMessage,
  ResourceUsage,
  ServerMessage,
  TerminalStatus,
  Unstamped,
} from '@sbx/fathom-client/wire';

type Phase = 'new' | 'waiting' | 'running' | 'limited' | 'ended' | 'over';
type Step =
  | 'ack'
  | 'running'
  | 'output'
  | 'output-limit'
  | 'cancelled'
  | 'failed'
  | 'terminal'
  | 'result'
  | 'error';

/**
 * Phase → what may come, and the phase after it. `limited`: the output limit was told, and only `failed` may
 * follow. There is no step out of `over`.
 */
const NEXT: Readonly<Record<Phase, Partial<Record<Step, Phase>>>> = {
  new: { ack: 'waiting' },
  waiting: { running: 'running', cancelled: 'ended', error: 'over' },
  running: {
    output: 'running',
    'output-limit': 'limited',
    cancelled: 'ended',
    failed: 'ended',
    terminal: 'ended',
    error: 'over',
  },
  limited: { failed: 'ended' },
  ended: { result: 'over' },
  over: {},
};

/** Messages that belong to an execution. */
type ExecutionMessage = Exclude<ServerMessage, { type: 'pong' }>;
/** One of them, before it is stamped. */
export type Said = Unstamped<ExecutionMessage>;
type Shape = Pick<ExecutionMessage, 'type'> & { status?: string; code?: string };

/** A message that breaks the order is a defect of the server. */
export class MessageOrder {
  #phase: Phase = 'new';

  /** Nothing may follow for this execution. */
  get isOver(): boolean {
    return this.#phase === 'over';
  }

  /** Throws when this message must not come now. */
  check(message: Shape): void {
    const step = stepOf(message);
    const next = NEXT[this.#phase][step];
    if (next === undefined) throw new Error(`message order: ${step} while ${this.#phase}`);
    this.#phase = next;
  }
}

function stepOf({ type, status, code }: Shape): Step {
  if (type === 'stdout' || type === 'stderr') return 'output';
  if (type === 'error') return code === 'OUTPUT_LIMIT' ? 'output-limit' : 'error';
  if (type !== 'status') return type;
  return status === 'running' || status === 'cancelled' || status === 'failed' ? status : 'terminal';
}

/** Why the server itself ended a program; the first reason counts. */
export type EndReason = 'cancel' | 'output-limit';

/** What the last two messages say. */
export interface Ending {
  status: TerminalStatus;
  exitCode: number | null;
  durationMs: number;
  /** `null`: the program has not run. */
  usage: ResourceUsage | null;
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

/** The status, then the result. */
export function lastMessages(id: string, { status, exitCode, durationMs, usage }: Ending): Said[] {
  const result = { type: 'result', id, exit_code: exitCode, duration_ms: durationMs } as const;
  return [{ type: 'status', id, status }, usage === null ? result : { ...result, resource_usage: usage }];
}
