/**
 * How a program ended: a table, read from the top, first match wins. docs/limits.md is made from it.
 *
 * Three kinds of evidence, in this order:
 * 1. Records. The supervisor (init, or the host for output and `kill()`) writes down the first reason for
 *    which it killed; the kernel counts its out-of-memory kills. A record is a fact and beats every figure: a
 *    run killed for its wall time is `wall-limit`, even if its CPU time ends a little over its own limit
 *    while it dies. An OOM kill beats a recorded CPU or wall limit: a program that lost a process to the
 *    kernel often hangs until one of those strikes, and memory is why. It does not beat `killed` and
 *    `output-limit`: there the run was over already, and for a kill from outside nothing is to be judged.
 * 2. Figures, for programs that ended by themselves and were over: final CPU and wall time, peak memory. A
 *    limit is what may be used, so exactly at the limit is within.
 * 3. The wait status of the main process: its signal, its exit code.
 *
 * SIGXCPU and SIGXFSZ are the kernel's words for limits only where such a limit was set; without one the
 * program can only have raised them itself. A program may raise them to look over its limit; that harms
 * nobody but itself.
 */
import { signalName } from '../errno.js';
import type { ResolvedLimits } from '../options/limits.js';
import type { Status } from '../types/limits.js';

/** The first reason for which the supervisor ended the program. */
export type EndCause = 'none' | 'cpu-limit' | 'wall-limit' | 'output-limit' | 'memory-limit' | 'killed';

/** The end of one program, as init and the cgroups recorded it. */
export interface ExitRecord {
  /** Raw `wait(2)` status of the main process. */
  waitStatus: number;
  cause: EndCause;
  /** User + system time of the whole tree, in ns. */
  cpuTimeNs: number;
  /** From exec to the end of the main process, in ns. */
  wallTimeNs: number;
  /** High-water mark with file cache, in bytes; `null` when nothing measured it. */
  memoryPeakBytes: number | null;
  /**
   * Caches of files still charged at the end (pages, names, inodes), shared memory and tmpfs left out, in
   * bytes; `null` when unknown.
   */
  fileCacheBytes: number | null;
  /** Processes of the tree that the kernel killed for memory. */
  oomKillCount: number;
  /** Most tasks alive at once; `null` when nothing measured it. */
  processPeakCount: number | null;
}

/** The input of a row. */
export interface VerdictInput {
  readonly record: ExitRecord;
  readonly limits: ResolvedLimits;
  /** A required file of `copyOut` could not be taken. */
  readonly copyOutFailed: boolean;
  /** The filter of system calls may answer with SIGSYS. */
  readonly filterKills: boolean;
}

/** One row of the table. */
export interface VerdictRow {
  /** Stable name of the row: the status and what shows it. */
  readonly id: string;
  readonly status: Status;
  readonly when: (input: VerdictInput) => boolean;
  /** A sentence for the documentation. */
  readonly why: string;
}

/** The decision that is reported. */
export interface Verdict {
  status: Status;
  /** `id` of the row. */
  evidence: string;
  exitCode: number | null;
  exitSignal: string | null;
  memoryPeakBytes: number | null;
}

const NS_PER_MS = 1e6;
const SIGXCPU = 24;
const SIGXFSZ = 25;
const SIGSYS = 31;

/** The table. Order is meaning. */
export const VERDICT_ROWS: readonly VerdictRow[] = [
  {
    id: 'killed',
    status: 'killed',
    when: ({ record }) => record.cause === 'killed',
    why: 'It was ended from outside (`kill()`, `close()`, abort) before anything else happened to it.',
  },
  {
    id: 'output-limit/record',
    status: 'output-limit',
    when: ({ record }) => record.cause === 'output-limit',
    why: 'A captured output grew past `outputBytes` and the program was killed for it.',
  },
  {
    id: 'memory-limit/record',
    status: 'memory-limit',
    when: ({ record }) => record.oomKillCount > 0 || record.cause === 'memory-limit',
    why: 'The kernel killed a process of it for memory, or the supervisor did; also when the main process outlived that, or a time limit struck afterwards.',
  },
  {
    id: 'cpu-limit/record',
    status: 'cpu-limit',
    when: ({ record }) => record.cause === 'cpu-limit',
    why: 'The supervisor killed it for its CPU time.',
  },
  {
    id: 'wall-limit/record',
    status: 'wall-limit',
    when: ({ record }) => record.cause === 'wall-limit',
    why: 'The supervisor killed it for its wall time.',
  },
  {
    id: 'memory-limit/figure',
    status: 'memory-limit',
    when: ({ record, limits }) => isOver(ownPeakBytes(record), limits.memoryBytes),
    why: 'Its peak memory, file cache left out, was above `memoryBytes`, though nothing killed it.',
  },
  {
    id: 'cpu-limit/figure',
    status: 'cpu-limit',
    when: ({ record, limits }) => isOver(record.cpuTimeNs / NS_PER_MS, limits.cpuTimeMs),
    why: 'It ended by itself, but its final CPU time was above `cpuTimeMs`.',
  },
  {
    id: 'cpu-limit/signal',
    status: 'cpu-limit',
    when: ({ record, limits }) => endedBy(record, SIGXCPU) && limits.cpuTimeMs !== null,
    why: 'SIGXCPU ended it: the backstop of the kernel for CPU time.',
  },
  {
    id: 'wall-limit/figure',
    status: 'wall-limit',
    when: ({ record, limits }) => isOver(record.wallTimeNs / NS_PER_MS, limits.wallTimeMs),
    why: 'It ended by itself, but its wall time was above `wallTimeMs`.',
  },
  {
    id: 'forbidden-syscall/filter',
    status: 'forbidden-syscall',
    when: ({ record, filterKills }) => filterKills && endedBy(record, SIGSYS),
    why: 'SIGSYS ended it, under a filter that answers forbidden system calls with death.',
  },
  {
    id: 'forbidden-syscall/signal',
    status: 'forbidden-syscall',
    when: ({ record }) => endedBy(record, SIGSYS),
    why: 'SIGSYS ended it though the filter fails calls with an error: it raised the signal itself, or made a call of another architecture.',
  },
  {
    id: 'output-limit/signal',
    status: 'output-limit',
    when: ({ record, limits }) => endedBy(record, SIGXFSZ) && limits.fileBytes !== null,
    why: 'SIGXFSZ ended it: it wrote a file past `fileBytes`.',
  },
  {
    id: 'signal',
    status: 'signal',
    when: ({ record }) => exitSignalNumber(record) !== null,
    why: 'Another signal ended it, its own fault or the wish of another process inside.',
  },
  {
    id: 'exit',
    status: 'exit',
    when: ({ record }) => exitCodeOf(record) !== 0,
    why: 'It exited with a code other than 0.',
  },
  {
    id: 'file-error',
    status: 'file-error',
    when: ({ copyOutFailed }) => copyOutFailed,
    why: 'It exited with 0, but a required file of `copyOut` could not be taken.',
  },
  {
    id: 'ok',
    status: 'ok',
    when: () => true,
    why: 'It exited with 0 within all limits, and left the files that were asked for.',
  },
];

/** Reads the table. */
export function decideVerdict(input: VerdictInput): Verdict {
  const { record, limits } = input;
  const signal = exitSignalNumber(record);
  const { id, status } = findRow(input);
  return {
    status,
    evidence: id,
    exitCode: exitCodeOf(record),
    exitSignal: signal === null ? null : signalName(signal),
    memoryPeakBytes: reportedPeakBytes(record, limits.memoryBytes),
  };
}

/** The row that decides. The last row matches everything. */
export function findRow(input: VerdictInput): VerdictRow {
  for (const row of VERDICT_ROWS) if (row.when(input)) return row;
  return VERDICT_ROWS[VERDICT_ROWS.length - 1]!;
}

/** Code of a process that exited, `null` when a signal ended it. */
function exitCodeOf({ waitStatus }: ExitRecord): number | null {
  return (waitStatus & 0x7f) === 0 ? (waitStatus >> 8) & 0xff : null;
}

/** Signal that ended the process, `null` when it exited. Bit 7 only says that a core was dumped. */
function exitSignalNumber({ waitStatus }: ExitRecord): number | null {
  const signal = waitStatus & 0x7f;
  return signal === 0 ? null : signal;
}

function endedBy(record: ExitRecord, signal: number): boolean {
  return exitSignalNumber(record) === signal;
}

function isOver(used: number | null, limit: number | null): boolean {
  return used !== null && limit !== null && used > limit;
}

/** Cache that the kernel would have dropped under pressure is not the program's use. */
function ownPeakBytes({ memoryPeakBytes, fileCacheBytes }: ExitRecord): number | null {
  return memoryPeakBytes === null ? null : memoryPeakBytes - (fileCacheBytes ?? 0);
}

/**
 * A peak that only file cache lifts above the limit is reported as the limit: an `ok` run must not show more.
 */
function reportedPeakBytes(record: ExitRecord, limit: number | null): number | null {
  const { memoryPeakBytes } = record;
  if (memoryPeakBytes === null || limit === null) return memoryPeakBytes;
  return isOver(ownPeakBytes(record), limit) ? memoryPeakBytes : Math.min(memoryPeakBytes, limit);
}
