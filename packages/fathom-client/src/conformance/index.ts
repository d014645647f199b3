/**
 * Checks a server against the specification, rule by rule. On Node alone.
 *
 * @packageDocumentation
 */
import { Broken, Peer, type PeerOptions } from './peer.js';
import { PROGRAMS, type Programs } from './programs.js';
import type { Rule } from './rule.js';
import { RULES } from './rules.js';

/** Which server, and how to get in. */
export interface ConformanceOptions {
  /** `ws://host:port/ws`. */
  url: string;
  /** Sent as `Authorization: Bearer`. Default: none. */
  token?: string | undefined;
  /** Longest wait for one answer, in ms. Default 30 000. */
  timeoutMs?: number | undefined;
  /** Called as soon as a rule has been checked. */
  onRule?: ((outcome: RuleOutcome) => void) | undefined;
}

/** One rule, and whether the server keeps it. */
export interface RuleOutcome {
  /** Short name, stable. */
  id: string;
  /** Of the specification. */
  section: string;
  /** How the specification words it. */
  level: 'MUST' | 'SHOULD';
  /** What a server has to do. */
  rule: string;
  /** The server does. */
  pass: boolean;
  /** How it is broken; `null` when it is kept. */
  reason: string | null;
}

/**
 * Checks every rule. Rejects when nobody answers, or none of the languages that the checks are written in is
 * there.
 */
export async function checkConformance(options: ConformanceOptions): Promise<RuleOutcome[]> {
  const { url, token, timeoutMs = 30_000, onRule } = options;
  const own: PeerOptions = { url, token, timeoutMs };
  let { peer } = await Peer.open(own);
  const peers = [peer];
  try {
    const programs = await findPrograms(peer);
    const outcomes: RuleOutcome[] = [];
    for (const rule of RULES) {
      if (peer.closed !== null) {
        peer = (await Peer.open(own)).peer; // a rule that is broken may cost the connection
        peers.push(peer);
      }
      const oddities = peers.flatMap((each) => each.oddities);
      const outcome = await outcomeOf(rule, () => rule.check({ peer, programs, oddities, options: own }));
      outcomes.push(outcome);
      onRule?.(outcome);
    }
    return outcomes;
  } finally {
    for (const each of peers) each.close();
  }
}

async function findPrograms(peer: Peer): Promise<Programs> {
  for (const programs of PROGRAMS) {
    const id = peer.start({ language: programs.language, code: '' });
    const first = await peer.until(() => true, 'a first answer');
    if (typeof first.type !== 'string')
      throw new Broken(`This is no Fathom server: its first answer is ${peer.oddities[0]}.`);
    const { error } = await peer.fate(id);
    if (error === undefined) return programs;
  }
  const names = PROGRAMS.map(({ language }) => language).join(', ');
  throw new Broken(`The checks need one of the languages ${names}, and the server has none of them.`);
}

async function outcomeOf(
  { id, section, level, rule }: Rule,
  check: () => Promise<void>,
): Promise<RuleOutcome> {
  const facts = { id, section, level, rule };
  try {
    await check();
    return { ...facts, pass: true, reason: null };
  } catch (error) {
    return { ...facts, pass: false, reason: (error as Error).message };
  }
}
