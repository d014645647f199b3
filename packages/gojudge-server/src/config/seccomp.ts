/**
 * seccomp.yaml to the engine's policy, which is applied on top of the engine's own filter and never weakens
 * it. go-judge ignores unknown keys; in groups and rules they stop the start here, since a rule without its
 * condition, or a group without its names, is another rule.
 */
import type { SeccompAction, SeccompArgument, SeccompPolicy, SeccompRule } from '@sbx/core';
import * as z from 'zod/mini';

const ACTIONS = {
  allow: 'allow',
  errno: 'errno',
  trap: 'trap',
  trace: 'trace',
  log: 'log',
  kill_thread: 'kill-thread',
  kill_process: 'kill-process',
} as const satisfies Record<string, SeccompAction>;

const OPERATIONS = {
  Equal: 'eq',
  NotEqual: 'ne',
  GreaterThan: 'gt',
  LessThan: 'lt',
  GreaterOrEqual: 'ge',
  LessOrEqual: 'le',
  BitsSet: 'bits-set',
  BitsNotSet: 'bits-not-set',
} as const satisfies Record<string, SeccompArgument['op']>;

const action = z.pipe(
  z.enum(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]),
  z.transform((name) => ACTIONS[name]),
);
const between = (min: bigint, max: bigint) => z.bigint().check(z.gte(min), z.lte(max));
const condition = z.pipe(
  z.strictObject({
    argument: between(0n, 5n),
    operation: z.enum(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]),
    value: between(0n, 2n ** 64n - 1n),
  }),
  z.transform(({ argument, operation, value }) => ({
    index: Number(argument),
    op: OPERATIONS[operation],
    value,
  })),
);

const group = z.pipe(
  z.strictObject({
    names: z.nullish(z.array(z.string())),
    names_with_args: z.nullish(
      z.array(z.strictObject({ name: z.string(), arguments: z.nullish(z.array(condition)) })),
    ),
    action,
  }),
  z.transform((row): SeccompRule[] => {
    const plain = row.names ?? [];
    const conditional = (row.names_with_args ?? []).map(
      ({ name, arguments: args }): SeccompRule => ({ names: [name], action: row.action, args: args ?? [] }),
    );
    return plain.length === 0 ? conditional : [{ names: plain, action: row.action }, ...conditional];
  }),
);

/** What the file says, as the engine takes it. */
export const SECCOMP_CONF = z.pipe(
  z.object({ default_action: action, syscalls: z.array(group).check(z.minLength(1)) }),
  z.transform(
    ({ default_action, syscalls }): SeccompPolicy => ({
      defaultAction: default_action,
      rules: syscalls.flat(),
    }),
  ),
);
