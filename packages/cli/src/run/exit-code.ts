/** The end of a program → what `sbx` exits with. */
import { constants } from 'node:os';
import { type RunResult, type Status, signalNumber } from '@sbx/core';
import { EXIT } from '../exit-codes.js';

/** Codes of ends that are not the program's own choice; `null`: the program's exit code or signal decides. */
const BY_STATUS: Readonly<Record<Status, number | null>> = {
  ok: null,
  exit: null,
  signal: null,
  'cpu-limit': EXIT.timeLimit,
  'wall-limit': EXIT.timeLimit,
  'memory-limit': 128 + constants.signals.SIGKILL,
  'output-limit': 128 + constants.signals.SIGXFSZ,
  'forbidden-syscall': 128 + constants.signals.SIGSYS,
  'file-error': EXIT.ioError,
  killed: 128 + constants.signals.SIGTERM,
};

/** How the program's end is passed on. */
export function exitCodeOfResult({ status, exitCode, exitSignal }: RunResult): number {
  const fixed = BY_STATUS[status];
  if (fixed !== null) return fixed;
  return exitSignal === null ? (exitCode ?? EXIT.internal) : exitCodeOfSignal(exitSignal);
}

/** 128 + n. */
export function exitCodeOfSignal(name: string): number {
  return 128 + (signalNumber(name) ?? 0);
}
