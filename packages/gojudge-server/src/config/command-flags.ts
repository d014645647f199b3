/**
 * The flags of `sbx-gojudge` alone, without the server behind them.
 *
 * @packageDocumentation
 */
import { FLAGS } from './flags.js';

/** A flag as it is typed. */
export interface CommandFlag {
  flag: string;
  takesValue: boolean;
  description: string;
}

/** Every flag of the command, for whoever completes command lines: `-http-addr` and so on. */
export function listCommandFlags(): CommandFlag[] {
  return Object.entries(FLAGS).map(([name, { kind, usage }]) => ({
    flag: `-${name}`,
    takesValue: kind !== 'bool',
    description: usage,
  }));
}
