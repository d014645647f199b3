/** Checks the options of a standby; see `program.ts`. */
import type { StandbyFamily, StandbyInput, StandbyOptions } from '../types/standby.js';
import { BOOLEAN, by, checkRule, checkTable, isPlainObject, number, table, text } from './check.js';
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

const FAMILY_TABLE = table<StandbyFamily>(
  'a family of a standby',
  { count: number(0, COUNT_MAX), program: by(later), prelude: by(checkFiles) },
  { required: ['count', 'program'] },
);
const NAME_BYTES_MAX = 4096;
const NAME_RULE = text(NAME_BYTES_MAX);

/** What has a check of its own, with a place of its own in messages. */
function later(): null {
  return null;
}

/** Checks the name of a family. */
export function validateStandbyName(name: unknown): void {
  const found = checkRule(name, NAME_RULE);
  if (found !== null) throwProblem('name', found);
}

/** Checks the family of `Standby.keep`. */
export function validateStandbyFamily(family: unknown): void {
  const found = checkTable(family, FAMILY_TABLE);
  if (found !== null) throwProblem('family', found);
  const { program, prelude } = family as StandbyFamily;
  validateStandbyProgram(program, 'family.program', prelude);
}

/** Checks a program; `where`: how the caller calls it. */
export function validateStandbyProgram(
  program: unknown,
  where: string,
  prelude: StandbyFamily['prelude'] = {},
): void {
  if (!isPlainObject(program)) throwProblem(where, notPlain('a program of a standby', program));
  const { file, args, entry, files = {}, ...options } = program;
  const found = checkEntry(entry, prelude);
  if (found !== null) throwProblem(`${where}.entry`, found);
  const wrongFiles = checkFiles(files);
  if (wrongFiles !== null) throwProblem(`${where}.files`, wrongFiles);
  validateStandbyStart(file, args, options);
}

/** Checks that of `Standby.spawn` which `validateStandbyProgram` and `validateStandbyInput` do not see. */
export function validateStandbyRequest(request: unknown): void {
  if (!isPlainObject(request)) throwProblem('request', notPlain('a request of a standby', request));
}

function notPlain(what: string, value: unknown): Problem {
  return wrongType(`a plain object (${what})`, value);
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
