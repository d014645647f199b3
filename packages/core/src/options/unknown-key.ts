/** What is said of a key that an object may not have: the one that is meant, else all that are known. */
import { nearestName } from './nearest-name.js';
import { keySegment, type Problem, problem, within } from './problem.js';

/** As much of a table as is asked here: `check.ts` stands above this file. */
interface Keys {
  readonly what: string;
  readonly rules: ReadonlyMap<string, { kind: string; table?: Keys }>;
  readonly hints: Readonly<Record<string, string>>;
}

/** Refuses a key. */
export function unknownKey(key: string, rules: Keys): Problem {
  const expected = `is not a key of ${rules.what}`;
  const known = () => `Known keys: ${[...rules.rules.keys()].join(', ')}.`;
  const hint =
    fixedHint(key, rules) ?? innerKey(key, rules) ?? nearKey(key, rules) ?? innerHint(key, rules) ?? known();
  return within(keySegment(key), problem('unknown-key', expected, null, hint))!;
}

function fixedHint(key: string, rules: Keys): string | null {
  return Object.hasOwn(rules.hints, key) ? rules.hints[key]! : null;
}

/** `cpuTimeMs` beside `limits` instead of inside. */
function innerKey(key: string, rules: Keys): string | null {
  for (const [outer, rule] of rules.rules) {
    if (rule.table?.rules.has(key)) return `It belongs into ${outer}: { ${key}: … }.`;
  }
  return null;
}

/** Of this object, else of one inside: `memory` for `limits: { memoryBytes }`. */
function nearKey(key: string, rules: Keys): string | null {
  const near = nearestName(key, [...rules.rules.keys()]);
  if (near !== null) return `Did you mean ${near}?`;
  for (const [outer, rule] of rules.rules) {
    const inner = rule.table !== undefined ? nearestName(key, [...rule.table.rules.keys()]) : null;
    if (inner !== null) return `Did you mean ${outer}: { ${inner}: … }?`;
  }
  return null;
}

/** A name from elsewhere that has another one inside: `timeLimit` of `limits`. */
function innerHint(key: string, rules: Keys): string | null {
  for (const [outer, rule] of rules.rules) {
    const hint = rule.table !== undefined ? fixedHint(key, rule.table) : null;
    if (hint !== null) return `In ${outer}: ${hint}`;
  }
  return null;
}
