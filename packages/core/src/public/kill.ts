/** The end of a program, or a signal to it, as callers ask for it. */
import { signalNumber } from '../errno.js';
import { InvalidOptionsError } from '../errors.js';
import { describe } from '../options/describe.js';
import type { Running } from '../run/running.js';

/** `Process.kill`. Throws for what is no signal. */
export function killProgram(running: Running, signal?: NodeJS.Signals | number): void {
  if (signal === undefined) return running.end();
  const isNamed = typeof signal === 'string' || typeof signal === 'number';
  const number = isNamed ? signalNumber(signal) : null;
  if (number === null) {
    const got = isNamed ? String(signal) : describe(signal);
    const expected = 'must be the name or number of a signal';
    const name = `SIG${got.toUpperCase()}` as NodeJS.Signals;
    const hint = signalNumber(name) === null ? null : `Did you mean '${name}'?`;
    throw new InvalidOptionsError({ field: 'signal', rule: 'choice', expected, got, hint });
  }
  running.kill(number);
}
