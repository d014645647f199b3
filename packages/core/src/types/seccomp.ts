/** A system call filter of the caller's. */

/**
 * What a filter of the caller's does with a call: let it through; fail it with EPERM; send SIGSYS, which the
 * program may catch; fail it with ENOSYS, there being no tracer; let it through and have the kernel write it
 * to its log; end the thread or the process with SIGSYS (`forbidden-syscall`).
 */
export type SeccompAction = 'allow' | 'errno' | 'trap' | 'trace' | 'log' | 'kill-thread' | 'kill-process';

/** A test of one argument of a system call. */
export interface SeccompArgument {
  /** Which, from 0. */
  index: number;
  /**
   * How it is compared, unsigned. `'bits-set'`: at least one bit of `value` is set; `'bits-not-set'`: none
   * is.
   */
  op: 'eq' | 'ne' | 'gt' | 'ge' | 'lt' | 'le' | 'bits-set' | 'bits-not-set';
  /** What it is compared with. */
  value: bigint | number;
  /**
   * Bits that are compared. Default 64. The kernel looks at the low half alone of arguments that are `int`
   * (descriptors, commands, families, flags of many calls): to refuse some of their values give 32, or a
   * program gets past with bits above.
   */
  width?: 32 | 64 | undefined;
}

/** Calls, and what is done with them. */
export interface SeccompRule {
  /** As the kernel names them: `'openat'`. A name that only another architecture knows is passed over. */
  names: readonly string[];
  /** What is done with them. */
  action: SeccompAction;
  /** All must hold. Default: whatever the arguments. */
  args?: readonly SeccompArgument[] | undefined;
}

/**
 * A filter of the caller's on top of ours: of what both say the stricter counts, so it takes calls away and
 * gives none back. The first rule that names a call and whose arguments hold decides, else `defaultAction`.
 * It is loaded right before the program is executed, so `execve` must be allowed.
 */
export interface SeccompPolicy {
  /** Which of ours it stands on, unless a run says another. Default `'default'`. */
  base?: 'default' | 'strict' | undefined;
  /** For calls that no rule names. */
  defaultAction: SeccompAction;
  /** The first that fits decides. */
  rules: readonly SeccompRule[];
}
