/** How a run ended, in words that say by which limit. */
import { formatBytes, formatMs } from '../units.js';
import type { RunRequest } from './request.js';

export interface Verdict {
  kind: 'good' | 'bad' | 'limit' | 'broken';
  text: string;
  cpuTimeMs: number | null;
  wallTimeMs: number | null;
  memoryBytes: number | null;
}

interface Facts {
  status: string;
  exitStatus: number | null;
  error: string | null;
  cpuTimeMs: number | null;
  wallTimeMs: number | null;
  memoryBytes: number | null;
}

/** Of go-judge's interface and of Fathom. */
export function verdictOf(facts: Facts, request: RunRequest): Verdict {
  const { kind, text } = sentenceOf(facts, request);
  const { cpuTimeMs, wallTimeMs, memoryBytes } = facts;
  return { kind, text, cpuTimeMs, wallTimeMs, memoryBytes };
}

function sentenceOf(facts: Facts, request: RunRequest): Pick<Verdict, 'kind' | 'text'> {
  const { status, exitStatus, error, memoryBytes } = facts;
  switch (status) {
    case 'Accepted':
    case 'completed':
      return { kind: 'good', text: 'Ended by itself with exit code 0' };
    case 'Nonzero Exit Status':
    case 'failed':
      return {
        kind: 'bad',
        text: exitStatus === null ? 'Ended by a signal' : `Ended by itself with exit code ${exitStatus}`,
      };
    case 'Time Limit Exceeded':
      return { kind: 'limit', text: timeText(facts, request) };
    case 'timeout':
      return { kind: 'limit', text: wallText(facts, request) };
    case 'Memory Limit Exceeded':
    case 'oom':
      return {
        kind: 'limit',
        text: `Killed for its memory${memoryBytes === null ? '' : ` at ${formatBytes(memoryBytes)}`}: limit ${request.memoryMib} MiB`,
      };
    case 'Output Limit Exceeded':
      return { kind: 'limit', text: `Killed for its output: limit ${request.outputKib} KiB` };
    case 'Signalled':
      return { kind: 'bad', text: `Ended by signal ${exitStatus}` };
    case 'Dangerous Syscall':
      return { kind: 'bad', text: 'Killed for a forbidden system call' };
    case 'stopped':
    case 'cancelled':
      return { kind: 'bad', text: 'Stopped' };
    case 'compile':
      return { kind: 'bad', text: 'Did not compile' };
    default:
      return { kind: 'broken', text: `${status}${error ? `: ${error}` : ''}` };
  }
}

/** Which of the two limits it was, the figures tell. */
function timeText(facts: Facts, request: RunRequest): string {
  const { cpuTimeMs } = facts;
  if (cpuTimeMs === null || cpuTimeMs < request.cpuTimeMs) return wallText(facts, request);
  return `Killed after ${formatMs(cpuTimeMs)} of CPU time: limit ${formatMs(request.cpuTimeMs)}`;
}

function wallText({ wallTimeMs }: Facts, request: RunRequest): string {
  const limit = `limit ${formatMs(request.wallTimeMs)}`;
  return wallTimeMs === null
    ? `Killed for its wall time: ${limit}`
    : `Killed after ${formatMs(wallTimeMs)} of wall time: ${limit}`;
}
