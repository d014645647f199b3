/** Options of `engine.standby`, checked; see `program.ts`. */
import type { StandbyInput, StandbyOptions } from '../program/standby/types.js';
import { by, checkTable, number, table } from './check.js';
import { type Problem, throwProblem, wrongSecret } from './problem.js';
import { ABORT_RULES, KILL_GRACE_RULE } from './program-rules.js';

const START_MS_MAX = 3_600_000;

const STANDBY_TABLE = table<StandbyOptions>('the options of Engine.standby', {
  memoryBytes: number(0, Number.MAX_SAFE_INTEGER, { unit: 'bytes' }),
  startMs: number(1, START_MS_MAX, { integer: false, unit: 'ms' }),
});

export function validateStandbyOptions(options: unknown): void {
  const found = options === undefined ? null : checkTable(options, STANDBY_TABLE);
  if (found !== null) throwProblem('options', found);
}

const INPUT_TABLE = table<StandbyInput>(
  'the options of a prepared program',
  { code: by(checkCode), killGraceMs: KILL_GRACE_RULE, ...ABORT_RULES },
  { required: ['code'] },
);

function checkCode(value: unknown): Problem | null {
  const isCode = typeof value === 'string' || value instanceof Uint8Array;
  return isCode ? null : wrongSecret('a string or a Uint8Array', value);
}

/** Checks `PreparedProgram.spawn(options)`. */
export function validateStandbyInput(options: unknown): void {
  const found = checkTable(options, INPUT_TABLE);
  if (found !== null) throwProblem('options', found);
}
