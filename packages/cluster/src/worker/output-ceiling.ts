/** What a job may bring back: all of it is in this process's memory before it is sent. */
import { InvalidOptionsError } from '@sbx/core';
import type { WireOutput, WireProgram } from '../wire/request.js';

/**
 * Throws `InvalidOptionsError`; else the program with a bound on its files. `count`: programs of the job,
 * which share it.
 */
export function underCeiling(program: WireProgram, bytesMax: number, count: number): WireProgram {
  const share = Math.floor(bytesMax / count);
  const captures: [string, WireOutput | 'stdout' | undefined][] = [
    ['stdout', program.stdout],
    ['stderr', program.stderr],
    ...(program.fds ?? []).map(([fd, spec]): [string, WireOutput | undefined] => [
      `fds[${fd}]`,
      'output' in spec ? spec.output : undefined,
    ]),
  ];
  for (const [field, output] of captures) checkBytes(`options.${field}`, boundOf(output), bytesMax);
  checkBytes('options.pty.capture', program.pty?.capture?.maxBytes ?? 0, bytesMax);
  const { outputBytes } = program.limits ?? {};
  const isUnbounded = outputBytes === null;
  checkBytes('options.limits.outputBytes', isUnbounded ? Infinity : Number(outputBytes ?? 0), bytesMax);
  const { copyOutTotalBytes = share, ...rest } = program;
  return { copyOutTotalBytes: Math.min(copyOutTotalBytes, share), ...rest };
}

/** Of what a pipe of a group records. */
export function checkBytes(field: string, bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  const expected = `must be at most ${bytesMax} bytes on this worker`;
  throw new InvalidOptionsError({ field, rule: 'ceiling', expected, got: `${bytes}` });
}

function boundOf(output: WireOutput | 'stdout' | undefined): number {
  if (typeof output !== 'object') return 0;
  // A collected file counts to copyOutTotalBytes, by which it is cut.
  return 'capture' in output ? output.capture.maxBytes : 0;
}
