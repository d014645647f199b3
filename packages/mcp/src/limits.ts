/** Limits of sandboxes where a call says nothing, and the highest that one may ask for. */
import { type Limits, optionRules } from '@sbx/core';

const KiB = 2 ** 10;
const MiB = 2 ** 20;
const GiB = 2 ** 30;

/** Of a sandbox where nothing else is said: compilers and Node need more than core's 256 MiB. */
const SANDBOX_LIMITS: Limits = { memoryBytes: 512 * MiB, processCount: 128 };

/** What a model may ask for where the operator says nothing. */
const SANDBOX_CEILINGS: Limits = {
  cpuTimeMs: 300_000,
  wallTimeMs: 300_000,
  memoryBytes: 2 * GiB,
  processCount: 512,
  outputBytes: 8 * MiB,
  fileBytes: GiB,
  diskBytes: GiB,
  diskFileCount: 64 * KiB,
};

interface AskedLimits {
  limits?: Limits | undefined;
  ceilings?: Limits | undefined;
}

/**
 * What the operator says holds: our own limits are lowered to the ceilings, and our own ceilings raised to
 * the limits. Limits above ceilings that are both the operator's contradict themselves, and are refused.
 */
export function resolveLimits({ limits = {}, ceilings = {} }: AskedLimits): Required<AskedLimits> {
  check('options.limits', limits);
  check('options.ceilings', ceilings);
  optionRules.checkCeilings(limits, ceilings);
  return {
    limits: { ...mapped(SANDBOX_LIMITS, (own, name) => lower(own, ceilings[name])), ...said(limits) },
    ceilings: { ...mapped(SANDBOX_CEILINGS, (own, name) => higher(own, limits[name])), ...said(ceilings) },
  };
}

function check(field: string, limits: Limits): void {
  const problem = optionRules.checkRule(limits, optionRules.ONE_SHOT_RULES.limits);
  if (problem !== null) optionRules.throwProblem(field, problem);
}

type Value = Limits[keyof Limits];

function mapped(limits: Limits, change: (own: number, name: keyof Limits) => Value): Limits {
  const entries = Object.entries(limits) as [keyof Limits, number][];
  return Object.fromEntries(entries.map(([name, own]) => [name, change(own, name)]));
}

/** `null`: none. */
export function lower<Own extends Value>(own: Own, ceiling: Value): Own | number {
  if (typeof ceiling !== 'number') return own;
  return typeof own === 'number' ? Math.min(own, ceiling) : ceiling;
}

/** `null`: none. */
function higher(own: number, limit: Value): Value {
  if (limit === null) return null;
  return typeof limit === 'number' ? Math.max(own, limit) : own;
}

/** `undefined` stands for what others say, and must not hide it. */
export function said(limits: Limits): Limits {
  return Object.fromEntries(Object.entries(limits).filter(([, value]) => value !== undefined));
}
