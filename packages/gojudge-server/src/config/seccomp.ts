/**
 * seccomp.yaml to the engine's policy, which is applied on top of the engine's own filter and never weakens
 * it.
 */
import type { SeccompAction, SeccompArgument, SeccompPolicy, SeccompRule } from '@sbx/core';
import * as z from 'zod';

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

const action = z.enum(Object.keys(ACTIONS) as (keyof typeof ACTIONS)[]).transform((name) => ACTIONS[name]);
const condition = z
  .object({
    argument: z.bigint().min(0n).max(5n),
    operation: z.enum(Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[]),
    value: z
      .bigint()
      .min(0n)
      .max(2n ** 64n - 1n),
  })
  .transform(({ argument, operation, value }) => ({
    index: Number(argument),
    op: OPERATIONS[operation],
    value,
  }));

const group = z
  .object({
    names: z.array(z.string()).nullish(),
    names_with_args: z
      .array(z.object({ name: z.string(), arguments: z.array(condition).nullish() }))
      .nullish(),
    action,
  })
  .transform((row): SeccompRule[] => {
    const plain = row.names ?? [];
    const conditional = (row.names_with_args ?? []).map(
      ({ name, arguments: args }): SeccompRule => ({ names: [name], action: row.action, args: args ?? [] }),
    );
    return plain.length === 0 ? conditional : [{ names: plain, action: row.action }, ...conditional];
  });

/** What the file says, as the engine takes it. */
export const SECCOMP_CONF = z.object({ default_action: action, syscalls: z.array(group).min(1) }).transform(
  ({ default_action, syscalls }): SeccompPolicy => ({
    defaultAction: default_action,
    rules: syscalls.flat(),
  }),
);
