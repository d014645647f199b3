/**
 * What of an engine can be done elsewhere: calls whose arguments and results can travel. `Engine` does them
 * on this machine, a cluster's engine (`@sbx/cluster`) on others; servers that only need these calls take
 * either.
 */
import type { InputStream } from '../streams/input.js';
import type { OutputStream } from '../streams/output-stream.js';
import type { EngineCounters, EngineInfo, EngineUsage } from '../types/engine.js';
import type { EachGroupRequest, EachGroupResult, GroupRequest, GroupResult } from '../types/group.js';
import type { LiveUsage } from '../types/limits.js';
import type { RunOptions, SandboxShape } from '../types/program.js';
import type { RunResult } from '../types/result.js';
import type { FileCalls } from './file-calls.js';
import type { ProcessEvent } from './process.js';

/** Options of `Runner.run` and `Runner.spawn`: those of `Engine.run`, without the engine. */
export interface RunnerOptions extends RunOptions, SandboxShape {}

/** The writing side of a program's input, wherever it runs; see `InputStream`. */
export type ProgramInput = Pick<InputStream, 'write' | 'end' | 'destroy' | 'node' | 'web'>;

/** The reading side of a program's output, wherever it runs; see `OutputStream`. */
export type ProgramOutput = Pick<OutputStream, 'each' | 'lines' | 'text' | 'web' | 'node' | 'destroy'> &
  AsyncIterable<Uint8Array>;

/** A living program, wherever it runs; `Process` is one on this machine, and says more of each member. */
export interface RunnerProcess extends AsyncDisposable, AsyncIterable<ProcessEvent> {
  /** Number within its sandbox. */
  readonly id: number;
  /** How it ended. */
  readonly result: Promise<RunResult>;
  /** `null` unless `stdin: 'pipe'` or a terminal was asked for. */
  readonly stdin: ProgramInput | null;
  /** `null` unless `stdout: 'pipe'`; the terminal's output when there is one. */
  readonly stdout: ProgramOutput | null;
  /** `null` unless `stderr: 'pipe'`. */
  readonly stderr: ProgramOutput | null;
  /** Pipes by number of descriptor. */
  readonly fds: Record<number, ProgramInput | ProgramOutput>;
  /** As `Process.files`. Absent: it runs on another machine. */
  readonly files?: FileCalls;
  /** As `Process.kill`. */
  kill(signal?: NodeJS.Signals | number): void;
  /** As `Process.resize`. */
  resize(cols: number, rows: number): void;
  /** As `Process.usage`; of a program on another machine as of its last report. */
  usage(): LiveUsage;
  /** Kills it if it lives. Safe to call twice. */
  close(): Promise<void>;
}

/** One whose three streams are pipes; `PipedProcess` is one on this machine. */
export interface PipedRunnerProcess extends RunnerProcess {
  readonly stdin: ProgramInput;
  readonly stdout: ProgramOutput;
  readonly stderr: ProgramOutput;
}

/** A machine on which a `Runner` has its programs run. */
export interface RunnerWorker {
  /** Unique among them. */
  readonly name: string;
  /** As the machine calls itself. */
  readonly host: string;
  /** Programs at the same time. */
  readonly slots: number;
  /** Of these, those that are taken now, by anybody. */
  readonly running: number;
  /** It takes no more. */
  readonly isDraining: boolean;
  /** Those that it announces; `version` is `null` where nobody asked. */
  readonly languages: readonly { readonly name: string; readonly version: string | null }[];
  /** Words of its operator. */
  readonly labels: Readonly<Record<string, string>>;
  /** What its engine enforces. */
  readonly info: EngineInfo;
}

/** What waits for the machines of a `Runner`, whoever sent it. */
export interface RunnerQueue {
  /** Jobs that no worker has. */
  readonly waiting: number;
  /** Jobs that workers have. */
  readonly running: number;
  /** Jobs that were given to a second worker, of those that are there. */
  readonly redelivered: number;
  /** Age of the job that has been there longest, in ms; `null` where there is none. */
  readonly oldestMs: number | null;
}

/**
 * Runs programs, here or on other machines. What cannot leave a machine (open descriptors, `inherit`,
 * callbacks, streams as input) is refused by name where it would have to.
 */
export interface Runner extends AsyncDisposable {
  /** Whether a program can be started now; for readiness probes. */
  readonly isReady: boolean;
  /** As `Engine.info`; of several machines together what holds on each of them. */
  info(): EngineInfo;
  /** As `Engine.counters`; of several machines what this process knows of them. */
  counters(): EngineCounters;
  /** Figures of its own for Prometheus, in the text format, for the `/metrics` of servers. Absent: none. */
  metrics?(): string;
  /** Of all its sandboxes together. Absent: nobody counts it. */
  usage?(): EngineUsage;
  /** The machines that do the work, as far as they are known, in an order for lists. Absent: this one. */
  workers?(): readonly RunnerWorker[];
  /** What waits for them; rejects when nobody answers. Absent: `counters` says all there is. */
  queue?(): Promise<RunnerQueue>;
  /** As `Engine.run`. */
  run(file: string, args?: readonly string[], options?: RunnerOptions): Promise<RunResult>;
  /** As `Engine.spawn`. */
  spawn(file: string, args?: readonly string[], options?: RunnerOptions): Promise<RunnerProcess>;
  /** As `Engine.runGroup`, each program judged for itself. */
  runGroup(request: EachGroupRequest): Promise<EachGroupResult>;
  /** As `Engine.runGroup`. */
  runGroup(request: GroupRequest): Promise<GroupResult>;
  /** As `Engine.close`. Safe to call twice. */
  close(): Promise<void>;
}

const CALLS = ['run', 'spawn', 'runGroup', 'info', 'counters', 'close'] as const satisfies (keyof Runner)[];

/** Whether a value has the calls of a `Runner`; for options that take one. */
export function isRunner(value: unknown): value is Runner {
  if (typeof value !== 'object' || value === null) return false;
  return CALLS.every((name) => typeof (value as Record<string, unknown>)[name] === 'function');
}
