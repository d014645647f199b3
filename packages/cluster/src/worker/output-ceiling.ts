/** What a job may bring back: all of it is in this process's memory before it is sent. */
import { DEFAULT_LIMITS, InvalidOptionsError } from '@sbx/core';
import type { WireOutput, WireProgram } from '../wire/request.js';

/**
 * Throws `InvalidOptionsError`; else the program with a bound on its files. `count`: programs of the job,
 * which share it.
 */
export function underCeiling(program: WireProgram, bytesMax: number, count: number): WireProgram {
  const share = Math.floor(bytesMax / count);
  for (const [field, output] of outputsOf(program)) {
    const isNamed = typeof output === 'object' && 'capture' in output;
    checkBytes(`options.${field}`, isNamed ? output.capture.maxBytes : 0, bytesMax);
  }
  checkBytes('options.pty.capture', program.pty?.capture?.maxBytes ?? 0, bytesMax);
  const { outputBytes } = program.limits ?? {};
  const isUnbounded = outputBytes === null;
  checkBytes('options.limits.outputBytes', isUnbounded ? Infinity : Number(outputBytes ?? 0), bytesMax);
  const { copyOutTotalBytes = share, ...rest } = program;
  return { copyOutTotalBytes: Math.min(copyOutTotalBytes, share), ...rest };
}

/** Throws `InvalidOptionsError` where single outputs are below the bound, and all of them are not. */
export function checkTogether(field: string, programs: readonly WireProgram[], bytesMax: number): void {
  const bytes = programs.reduce((sum, program) => sum + capturedBytes(program, bytesMax), 0);
  if (bytes <= bytesMax) return;
  const expected = `must capture at most ${bytesMax} bytes in all outputs together on this worker`;
  const hint = 'Give fewer outputs, or less to each of them. stdout and stderr count once, as the larger.';
  throw new InvalidOptionsError({ field, rule: 'ceiling', expected, got: `${bytes}`, hint });
}

/** Of what a pipe of a group records. */
export function checkBytes(field: string, bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return;
  const expected = `must be at most ${bytesMax} bytes on this worker`;
  throw new InvalidOptionsError({ field, rule: 'ceiling', expected, got: `${bytes}` });
}

/** Of one program. `stdout` and `stderr` may each be as long as a whole job's outputs, and mostly one is. */
function capturedBytes({ stdout, stderr, fds, pty, limits }: WireProgram, bytesMax: number): number {
  const outputBytes = Number(limits?.outputBytes ?? Math.min(DEFAULT_LIMITS.outputBytes!, bytesMax));
  const boundOf = (output: WireOutput | 'stdout'): number => {
    if (output === 'capture') return outputBytes;
    // A collected file counts to copyOutTotalBytes, by which it is cut.
    return typeof output === 'object' && 'capture' in output ? output.capture.maxBytes : 0;
  };
  const others = (fds ?? []).reduce(
    (sum, [, spec]) => sum + ('output' in spec ? boundOf(spec.output) : 0),
    0,
  );
  const standard = Math.max(boundOf(stdout ?? 'capture'), boundOf(stderr ?? 'capture'));
  return others + Math.max(standard, pty?.capture?.maxBytes ?? 0);
}

function outputsOf({ stdout, stderr, fds }: WireProgram): [string, WireOutput | 'stdout' | undefined][] {
  return [
    ['stdout', stdout],
    ['stderr', stderr],
    ...(fds ?? []).map(([fd, spec]): [string, WireOutput | undefined] => [
      `fds[${fd}]`,
      'output' in spec ? spec.output : undefined,
    ]),
  ];
}
