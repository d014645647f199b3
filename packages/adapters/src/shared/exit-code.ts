/** A verdict as the one number that frameworks know, and as a sentence where the number says too little. */
import { type RunResult, type Status, signalNumber } from '@sbx/core';

/** As shells and `sbx run` have them; `null`: the program's own exit code or signal. */
const BY_STATUS: Readonly<Record<Status, number | null>> = {
  ok: 0,
  exit: null,
  signal: null,
  'cpu-limit': 124,
  'wall-limit': 124,
  'memory-limit': 137,
  'output-limit': 153,
  'forbidden-syscall': 159,
  'file-error': 74,
  killed: null, // the signal says how
};

/** Never 0 for a program that did not end well. */
export function exitCodeOf({ status, exitCode, exitSignal }: RunResult): number {
  return BY_STATUS[status] ?? exitCode ?? 128 + (signalNumber(exitSignal ?? '') ?? 0);
}

const SENTENCES: Readonly<Partial<Record<Status, string>>> = {
  'cpu-limit': 'ended: it used more CPU time than its limit',
  'wall-limit': 'ended: it took longer than its limit',
  'memory-limit': 'ended: it needed more memory than its limit',
  'output-limit': 'ended: it wrote more than its limit',
  'forbidden-syscall': 'ended: it made a system call that is not allowed',
};

/** A line for the end of stderr; empty where the exit code says it all. */
export function verdictLine({ status }: RunResult): string {
  const sentence = SENTENCES[status];
  return sentence === undefined ? '' : `sbx: ${sentence} (${status})\n`;
}
