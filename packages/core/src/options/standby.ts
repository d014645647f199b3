/** Options of `engine.standby`, checked; see `program.ts`. */
import type { StandbyOptions } from '../program/standby/types.js';
import { checkTable, number, table } from './check.js';
import { throwProblem } from './problem.js';

const START_MS_MAX = 3_600_000;

const STANDBY_TABLE = table<StandbyOptions>('the options of Engine.standby', {
  memoryBytes: number(0, Number.MAX_SAFE_INTEGER, { unit: 'bytes' }),
  startMs: number(1, START_MS_MAX, { integer: false, unit: 'ms' }),
});

export function validateStandbyOptions(options: unknown): void {
  const found = options === undefined ? null : checkTable(options, STANDBY_TABLE);
  if (found !== null) throwProblem('options', found);
}
