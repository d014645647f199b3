/** Filters of the caller's: what may be asked for. */

import type { SeccompAction, SeccompArgument, SeccompPolicy, SeccompRule } from '../types/seccomp.js';
import { by, checkTable, number, type Table, table, word } from './check.js';
import { quote } from './describe.js';
import { nearestName } from './nearest-name.js';
import { type Problem, problem, within, wrongType, wrongWord } from './problem.js';
import { syscallNames, syscallNumber } from './syscalls.js';

const RULE_COUNT_MAX = 1024;
const NAME_COUNT_MAX = 512;
/** Tests of arguments in one rule; a call has six arguments, and a range takes two tests. */
const ARGUMENT_COUNT_MAX = 12;

const ACTIONS: readonly SeccompAction[] = [
  'allow',
  'errno',
  'trap',
  'trace',
  'log',
  'kill-thread',
  'kill-process',
];
const OPS: readonly SeccompArgument['op'][] = [
  'eq',
  'ne',
  'gt',
  'ge',
  'lt',
  'le',
  'bits-set',
  'bits-not-set',
];

const ACTION = word(...ACTIONS);

const ARGUMENT_TABLE: Table = table<SeccompArgument>(
  'a test of an argument',
  {
    index: number(0, 5),
    op: word(...OPS),
    value: by(checkValue),
    width: by((value) => (value === 32 || value === 64 ? null : problem('choice', 'must be 32 or 64'))),
  },
  { required: ['index', 'op', 'value'] },
);

const RULE_TABLE: Table = table<SeccompRule>(
  'a rule of a filter',
  { names: by(checkNames), action: ACTION, args: by(checkArguments) },
  { required: ['names', 'action'] },
);

const POLICY_TABLE: Table = table<SeccompPolicy>(
  'a filter of system calls',
  { base: word('default', 'strict'), defaultAction: ACTION, rules: by(checkRules) },
  { required: ['defaultAction', 'rules'] },
);

/** Checks `EngineOptions.seccomp`: the name of a filter of ours, or a policy. */
export function checkSeccomp(value: unknown): Problem | null {
  if (value === 'default' || value === 'strict') return null;
  if (typeof value === 'string') return wrongWord(value, ['default', 'strict']);
  return checkTable(value, POLICY_TABLE) ?? checkExecve(value as SeccompPolicy);
}

function checkRules(value: unknown): Problem | null {
  return checkList(value, 'rules', RULE_COUNT_MAX, (rule) => {
    return checkTable(rule, RULE_TABLE) ?? checkWidths(rule as SeccompRule);
  });
}

function checkNames(value: unknown): Problem | null {
  return checkList(value, 'names', NAME_COUNT_MAX, checkName);
}

function checkArguments(value: unknown): Problem | null {
  return checkList(value, 'tests', ARGUMENT_COUNT_MAX, (argument) => checkTable(argument, ARGUMENT_TABLE));
}

function checkList(
  value: unknown,
  what: string,
  countMax: number,
  check: (item: unknown) => Problem | null,
): Problem | null {
  if (!Array.isArray(value)) return wrongType(`an array of ${what}`, value);
  if (value.length > countMax)
    return problem('size', `must have at most ${countMax} ${what}`, `${value.length}`);
  for (let index = 0; index < value.length; index++) {
    const found = check(value[index]);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

function checkName(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType('the name of a system call', value);
  if (syscallNumber(value, 'x64') !== undefined) return null;
  const near = nearestName(value, [...syscallNames()]);
  const hint = near === null ? null : `Did you mean ${near}?`;
  return problem('choice', 'must be the name of a system call', quote(value), hint);
}

function checkValue(value: unknown): Problem | null {
  if (typeof value === 'bigint') {
    return value >= 0n && value < 1n << 64n
      ? null
      : problem('range', 'must be from 0 to 2n ** 64n - 1n', `${value}n`);
  }
  if (typeof value !== 'number') return wrongType('a whole number or a bigint', value);
  if (Number.isSafeInteger(value) && value >= 0) return null;
  return problem('range', 'must be a whole number from 0 to 2 ** 53 - 1, or a bigint', `${value}`);
}

function checkWidths({ args = [] }: SeccompRule): Problem | null {
  const index = args.findIndex(({ value, width }) => width === 32 && BigInt(value) >= 1n << 32n);
  if (index === -1) return null;
  return within(
    `.args[${index}].value`,
    problem('range', 'must fit 32 bits, as width says', `${args[index]!.value}`),
  );
}

/** A program that nobody can execute is a mistake that is better told now. */
function checkExecve({ rules, defaultAction }: SeccompPolicy): Problem | null {
  const rule = rules.find(({ names }) => names.includes('execve'));
  const action = rule?.action ?? defaultAction;
  if (action === 'allow' || action === 'log' || (rule?.args?.length ?? 0) > 0) return null;
  const hint = 'It is loaded right before the program is executed.';
  return problem('conflict', "must allow 'execve'", `'${action}'`, hint);
}
