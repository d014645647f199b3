/** One rule of the specification, and what its check works with. */
import { Broken, type Peer, type PeerOptions } from './peer.js';
import type { Programs } from './programs.js';

/** What a check works with. */
export interface Context {
  peer: Peer;
  programs: Programs;
  /** What was wrong with messages so far. */
  oddities: readonly string[];
  options: PeerOptions;
}

/** One rule. */
export interface Rule {
  id: string;
  /** Of the specification. */
  section: string;
  /** As the text has it. */
  level: 'MUST' | 'SHOULD';
  rule: string;
  /** Throws `Broken`. */
  check(context: Context): Promise<void>;
}

/** Throws `Broken` unless it holds. */
export function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Broken(otherwise);
}

/** As `expectThat`, for the messages of an execution. */
export function expectSequence(sequence: string, pattern: RegExp, wanted: string): void {
  expectThat(pattern.test(sequence), `came: ${sequence}; must be: ${wanted}`);
}

/** A row of the tables: what a server must do. */
export function rule(id: string, section: string, words: string, check: Rule['check']): Rule {
  return { id, section, level: 'MUST', rule: words, check };
}

/** A row of the tables: what a server should do. */
export function recommendation(...row: Parameters<typeof rule>): Rule {
  return { ...rule(...row), level: 'SHOULD' };
}
