/**
 * Limits: defaults, ranges, merging, ceilings. One row of `LIMIT_RANGES` per limit feeds the checker and the
 * docs. Layers go from the general to the special (library, engine, sandbox, program): `undefined` inherits,
 * `null` lifts the limit.
 */
import { formatCpuList } from '@sbx/shared';
import type { Limits } from '../types/limits.js';
import { by, nested, number, type Rule, type Table, table } from './check.js';
import { checkCpuSet, parseCpuSet } from './cpu-set.js';
import { describe } from './describe.js';
import { LIMIT_HINTS } from './foreign-names.js';
import { type Problem, problem, throwProblem, within } from './problem.js';

export { parseCpuSet } from './cpu-set.js';

/** Name of a limit. */
export type LimitName = keyof Limits;

/** Limits after merging: every one decided, `null` meaning none; the CPU set as sorted numbers. */
export type ResolvedLimits = {
  readonly [K in Exclude<LimitName, 'cpuSet'>]: number | null;
} & { readonly cpuSet: readonly number[] | null };

const MiB = 2 ** 20;

/** The weight that the kernel gives groups without one. */
export const CPU_WEIGHT_NORMAL = 100;

/** The limits where neither the call, nor the sandbox, nor the engine names one. */
export const DEFAULT_LIMITS: Readonly<Required<Limits>> = Object.freeze({
  cpuTimeMs: 10_000,
  wallTimeMs: 30_000,
  memoryBytes: 256 * MiB,
  processCount: 64,
  outputBytes: MiB,
  fileBytes: 64 * MiB,
  openFileCount: 256,
  stackBytes: 64 * MiB,
  addressSpaceBytes: null,
  dataBytes: null,
  diskBytes: 128 * MiB,
  diskFileCount: 16_384,
  cpuRate: null,
  cpuWeight: null,
  cpuSet: null,
});

/** All names, in the order of the documentation. */
export const LIMIT_NAMES = Object.freeze(Object.keys(DEFAULT_LIMITS)) as readonly LimitName[];

/** Legal values of one limit. */
export interface LimitRange {
  min: number;
  max: number;
  integer: boolean;
  unit: 'ms' | 'bytes' | '';
  /** Why the bounds are where they are. */
  reason: string;
}

/** Largest time whose nanoseconds are still exact in a double: 104 days. */
const TIME_MS_MAX = 9_000_000_000;
const BYTES_MAX = Number.MAX_SAFE_INTEGER;

/** Legal ranges, for every limit that is a number. */
export const LIMIT_RANGES: Readonly<Record<Exclude<LimitName, 'cpuSet'>, LimitRange>> = {
  cpuTimeMs: range(
    0.001,
    TIME_MS_MAX,
    'ms',
    'A microsecond, which starting takes longer than; nanoseconds must stay exact in a double.',
  ),
  wallTimeMs: range(0.001, TIME_MS_MAX, 'ms', 'As cpuTimeMs.'),
  memoryBytes: count(
    4096,
    BYTES_MAX,
    'bytes',
    'One page; in less than some 100 KiB no program gets as far as its first instruction.',
  ),
  processCount: count(1, 4_194_304, '', 'The program itself is one; the kernel has no more process numbers.'),
  outputBytes: count(0, 2 ** 31, 'bytes', 'Captured output is one buffer in the host.'),
  fileBytes: count(0, BYTES_MAX, 'bytes', '0 lets a program write no file at all.'),
  openFileCount: count(4, 1_048_576, '', 'Three standard descriptors and one for the loader; fs.nr_open.'),
  stackBytes: count(131_072, BYTES_MAX, 'bytes', 'The kernel puts up to 128 KiB of arguments there.'),
  addressSpaceBytes: count(
    MiB,
    BYTES_MAX,
    'bytes',
    'In less than 1 MiB the kernel cannot execute a program.',
  ),
  dataBytes: count(0, BYTES_MAX, 'bytes', 'The kernel takes any; 0 is enough for a program with no data.'),
  diskBytes: count(4096, BYTES_MAX, 'bytes', 'One page; 0 would mean unlimited to tmpfs.'),
  diskFileCount: count(1, 2 ** 31 - 1, '', 'One file; 0 would mean unlimited to tmpfs.'),
  cpuRate: range(0.01, 4096, '', 'The kernel takes no quota below 1 ms per 100 ms.'),
  cpuWeight: count(1, 10_000, '', 'What cgroup v2 takes.'),
};

function count(min: number, max: number, unit: LimitRange['unit'], reason: string): LimitRange {
  return { min, max, integer: true, unit, reason };
}

function range(min: number, max: number, unit: LimitRange['unit'], reason: string): LimitRange {
  return { min, max, integer: false, unit, reason };
}

/** Rules of a `Limits` object. */
export const LIMITS_TABLE: Table = table<Limits>('limits', limitRules(), { hints: LIMIT_HINTS });

function limitRules(): Record<LimitName, Rule> {
  const rules: Record<string, Rule> = { cpuSet: by((value) => (value === null ? null : checkCpuSet(value))) };
  for (const [name, { min, max, integer, unit }] of Object.entries(LIMIT_RANGES)) {
    rules[name] = number(min, max, { integer, unit, nullMeans: 'no limit' });
  }
  return rules as Record<LimitName, Rule>;
}

/** Limits of a fresh sandbox. */
export const LIMITS_RULE: Rule = nested(LIMITS_TABLE);

/**
 * Limits of a program in a standing sandbox: its file systems exist, so a disk limit could only be ignored.
 */
export const PROGRAM_LIMITS_RULE: Rule = nested(LIMITS_TABLE, withoutDisk);

function withoutDisk(value: unknown): Problem | null {
  const { diskBytes, diskFileCount } = value as Limits;
  if (diskBytes === undefined && diskFileCount === undefined) return null;
  const name = diskBytes === undefined ? '.diskFileCount' : '.diskBytes';
  const hint = 'Give it to Sandbox.create, or use the one-shot Sandbox.run.';
  return within(name, problem('not-here', 'is fixed when the sandbox is made', null, hint));
}

/**
 * Merges layers, later ones winning. Layers must have been checked. When nothing changes, `base` itself is
 * returned, so that a run without limits costs nothing.
 */
export function resolveLimits(
  base: ResolvedLimits | Readonly<Required<Limits>>,
  ...layers: readonly (Limits | undefined)[]
): ResolvedLimits {
  let merged = isResolved(base) ? base : merge(base as unknown as ResolvedLimits, base);
  for (const layer of layers) if (layer !== undefined) merged = merge(merged, layer);
  return merged;
}

/** `Required<Limits>` differs from the resolved form only where a CPU set is still text. */
function isResolved(limits: ResolvedLimits | Readonly<Required<Limits>>): limits is ResolvedLimits {
  return typeof limits.cpuSet !== 'string';
}

/** Written out, so that every result has one hidden class and the hot path stays monomorphic. */
function merge(base: ResolvedLimits, over: Limits): ResolvedLimits {
  return {
    cpuTimeMs: over.cpuTimeMs === undefined ? base.cpuTimeMs : over.cpuTimeMs,
    wallTimeMs: over.wallTimeMs === undefined ? base.wallTimeMs : over.wallTimeMs,
    memoryBytes: over.memoryBytes === undefined ? base.memoryBytes : over.memoryBytes,
    processCount: over.processCount === undefined ? base.processCount : over.processCount,
    outputBytes: over.outputBytes === undefined ? base.outputBytes : over.outputBytes,
    fileBytes: over.fileBytes === undefined ? base.fileBytes : over.fileBytes,
    openFileCount: over.openFileCount === undefined ? base.openFileCount : over.openFileCount,
    stackBytes: over.stackBytes === undefined ? base.stackBytes : over.stackBytes,
    addressSpaceBytes: over.addressSpaceBytes === undefined ? base.addressSpaceBytes : over.addressSpaceBytes,
    dataBytes: over.dataBytes === undefined ? base.dataBytes : over.dataBytes,
    diskBytes: over.diskBytes === undefined ? base.diskBytes : over.diskBytes,
    diskFileCount: over.diskFileCount === undefined ? base.diskFileCount : over.diskFileCount,
    cpuRate: over.cpuRate === undefined ? base.cpuRate : over.cpuRate,
    cpuWeight: over.cpuWeight === undefined ? base.cpuWeight : over.cpuWeight,
    cpuSet: over.cpuSet === undefined ? base.cpuSet : over.cpuSet === null ? null : parseCpuSet(over.cpuSet),
  };
}

/**
 * The limits that an engine starts from: `DEFAULT_LIMITS`, lowered to the ceilings where nobody asked for
 * more, then the engine's own `limits`. Those above its own ceilings contradict themselves:
 * `InvalidOptionsError`.
 */
export function engineLimits(limits: Limits | undefined, ceilings: Limits | undefined): ResolvedLimits {
  checkCeilings(limits, ceilings, 'options.limits');
  return resolveLimits(lowered(resolveLimits(DEFAULT_LIMITS), ceilings), limits);
}

function lowered(defaults: ResolvedLimits, ceilings: Limits | undefined): ResolvedLimits {
  const lower: Record<string, unknown> = {};
  for (const name of LIMIT_NAMES) {
    const ceiling = ceilings?.[name];
    if (ceiling != null && isAbove(orWeight(name, defaults[name]), ceiling)) lower[name] = ceiling;
  }
  return resolveLimits(defaults, lower as Limits);
}

/**
 * Refuses limits above the engine's ceilings; `null` (none) is above any. Only what was asked for is looked
 * at: what is inherited is below already. `root` is the name of the argument, for the message.
 */
export function checkCeilings(
  limits: Limits | undefined,
  ceilings: Limits | undefined,
  root = 'options.limits',
): void {
  if (limits === undefined || ceilings === undefined) return;
  for (const name of LIMIT_NAMES) {
    const asked = limits[name];
    const ceiling = ceilings[name];
    if (asked === undefined || ceiling == null || !isAbove(orWeight(name, asked), ceiling)) continue;
    throwProblem(root, within(`.${name}`, aboveCeiling(asked, ceiling))!);
  }
}

type LimitValue = number | string | readonly number[] | null;

/** Without a weight of its own a program has an ordinary one; without another limit it has none. */
function orWeight(name: LimitName, value: LimitValue): LimitValue {
  return name === 'cpuWeight' ? (value ?? CPU_WEIGHT_NORMAL) : value;
}

/** For CPU sets: names a CPU that the ceiling does not. */
function isAbove(asked: LimitValue, ceiling: LimitValue): boolean {
  if (asked === null || ceiling === null) return asked === null;
  if (typeof asked === 'number') return asked > (ceiling as number);
  const allowed = new Set(
    typeof ceiling === 'string' ? parseCpuSet(ceiling) : (ceiling as readonly number[]),
  );
  const wanted = typeof asked === 'string' ? parseCpuSet(asked) : asked;
  return wanted.some((cpu) => !allowed.has(cpu));
}

function aboveCeiling(asked: LimitValue, ceiling: LimitValue): Problem {
  const isNumber = typeof ceiling === 'number';
  const limit = isNumber
    ? `${ceiling}`
    : `the CPUs ${typeof ceiling === 'string' ? ceiling : formatCpuList(ceiling ?? [])}`;
  const expected = isNumber
    ? `must be at most ${limit}, the ceiling of this engine`
    : `must be within ${limit}, the ceiling of this engine`;
  return problem('ceiling', expected, asked === null ? 'null (no limit)' : describe(asked));
}
