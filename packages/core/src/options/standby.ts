/** Checks the options of a standby; see `program.ts`. */
import type { StandbyFamily, StandbyInput, StandbyOptions, StandbyProgram } from '../types/standby.js';
import { BOOLEAN, by, checkTable, number, table } from './check.js';
import { checkFiles } from './content.js';
import { quote } from './describe.js';
import { checkFilePath } from './paths.js';
import { type Problem, problem, throwProblem, wrongSecret, wrongType } from './problem.js';
import { validateStandbyStart } from './program.js';
import { ABORT_RULES, KILL_GRACE_RULE } from './program-rules.js';

const START_MS_MAX = 3_600_000;
const COUNT_MAX = 1024;

const STANDBY_TABLE = table<StandbyOptions>('the options of Engine.standby', {
  memoryBytes: number(0, Number.MAX_SAFE_INTEGER, { unit: 'bytes' }),
  startMs: number(1, START_MS_MAX, { integer: false, unit: 'ms' }),
});

export function validateStandbyOptions(options: unknown): void {
  const found = options === undefined ? null : checkTable(options, STANDBY_TABLE);
  if (found !== null) throwProblem('options', found);
}

/** Checks the family of `Standby.keep`. */
export function validateStandbyFamily({ count, program, prelude = {} }: StandbyFamily): void {
  if (!Number.isInteger(count) || count < 0 || count > COUNT_MAX) {
    const expected = `must be an integer from 0 to ${COUNT_MAX}`;
    throwProblem('family.count', problem('range', expected, String(count)));
  }
  const found = checkFiles(prelude);
  if (found !== null) throwProblem('family.prelude', found);
  validateStandbyProgram(program, 'family.program', prelude);
}

/** Checks a program; `where`: how the caller calls it. */
export function validateStandbyProgram(
  program: StandbyProgram,
  where: string,
  prelude: StandbyFamily['prelude'] = {},
): void {
  const { file, args, entry, files = {}, ...options } = program;
  const found = checkEntry(entry, prelude);
  if (found !== null) throwProblem(`${where}.entry`, found);
  const wrongFiles = checkFiles(files);
  if (wrongFiles !== null) throwProblem(`${where}.files`, wrongFiles);
  validateStandbyStart(file, args, options);
}

function checkEntry(entry: unknown, prelude: Readonly<Record<string, string>>): Problem | null {
  if (typeof entry !== 'string') return wrongType('a string', entry);
  if (entry.includes('/'))
    return problem('format', 'must be the name of a file in the work folder', quote(entry));
  if (Object.hasOwn(prelude, entry))
    return problem('conflict', 'must not be a file of the prelude', quote(entry));
  return checkFilePath(entry);
}

const INPUT_TABLE = table<StandbyInput>(
  'the options of a prepared program',
  { code: by(checkCode), fresh: BOOLEAN, killGraceMs: KILL_GRACE_RULE, ...ABORT_RULES },
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
