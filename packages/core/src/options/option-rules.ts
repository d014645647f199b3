/**
 * The checker of options and the rules of a program's options, for packages that hand options on to an engine
 * (`@sbx/languages`): wrong ones are refused before anything starts, in the same words everywhere.
 */
export { checkArgs, checkEnv } from './argv.js';
export {
  BOOLEAN,
  by,
  type Check,
  checkRule,
  checkTable,
  isPlainObject,
  type KeysOf,
  type NumberRule,
  nested,
  number,
  type Rule,
  type StringRule,
  type Table,
  table,
  text,
  word,
} from './check.js';
export { describe, quote } from './describe.js';
export { PROGRAM_HINTS } from './foreign-names.js';
export { checkCeilings } from './limits.js';
export { keySegment, type Problem, problem, throwProblem, within, wrongType } from './problem.js';
export { validateGroup, validateOneShot, validateOneShotSpawn } from './program.js';
export { ONE_SHOT_RULES } from './program-rules.js';
