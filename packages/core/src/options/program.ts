/**
 * Requests for programs and sandboxes, checked once, before anything starts. Each function throws
 * `InvalidOptionsError` for the first fault or returns nothing; values are used as they came. Ceilings are
 * the engine's and come after (`checkCeilings`). The tables are in `program-rules.ts`.
 */
import type { Environment, RunOptions } from '../types/program.js';
import { checkArgs, checkArgvSize, checkFileArgument } from './argv.js';
import { checkRule, checkTable, type Table } from './check.js';
import { throwProblem } from './problem.js';
import {
  checkLiving,
  checkTogether,
  LIFETIME_RULE,
  ONE_SHOT_SPAWN_TABLE,
  ONE_SHOT_TABLE,
  RUN_TABLE,
  SANDBOX_TABLE,
  SPAWN_TABLE,
  STANDBY_TABLE,
} from './program-rules.js';

export { validateEngineOptions } from './engine-options.js';
export { validateGroup, validateSpawnGroup } from './group.js';

/** Checks `sandbox.spawn(file, args, options)`. */
export function validateProgram(file: unknown, args: unknown, options: unknown): void {
  validateCall([file, args, options], SPAWN_TABLE);
}

/** Checks `sandbox.run(file, args, options)`: a program in a standing sandbox. */
export function validateRun(file: unknown, args: unknown, options: unknown): void {
  validateCall([file, args, options], RUN_TABLE);
}

/**
 * Checks `Sandbox.run` and `engine.run`: a program in a fresh sandbox. `place`, of one of many, goes before
 * the names in errors.
 */
export function validateOneShot(file: unknown, args: unknown, options: unknown, place?: string): void {
  validateCall([file, args, options], ONE_SHOT_TABLE, place);
}

/** Checks `Sandbox.spawn` and `engine.spawn`: a living program in a fresh sandbox. */
export function validateOneShotSpawn(file: unknown, args: unknown, options: unknown): void {
  validateCall([file, args, options], ONE_SHOT_SPAWN_TABLE);
  const found = options === undefined ? null : checkLiving(options as RunOptions);
  if (found !== null) throwProblem('options', found);
}

/** Checks what a standby starts, but for its entry file. */
export function validateStandbyStart(file: unknown, args: unknown, options: unknown): void {
  validateCall([file, args, options], STANDBY_TABLE);
}

/** Checks the options of `Sandbox.create` and `engine.createSandbox`. */
export function validateSandboxOptions(options: unknown): void {
  if (options === undefined) return;
  const found = checkTable(options, SANDBOX_TABLE);
  if (found !== null) throwProblem('options', found);
  const size = checkArgvSize('', undefined, (options as { env?: Environment }).env);
  if (size !== null) throwProblem('options.env', size);
}

/** Checks the argument of `sandbox.setLifetime`. */
export function validateLifetime(ms: unknown): void {
  const found = checkRule(ms, LIFETIME_RULE);
  if (found !== null) throwProblem('ms', found);
}

/** What a call starts, in the order of its arguments. */
type ProgramCall = readonly [file: unknown, args: unknown, options: unknown];

function validateCall(call: ProgramCall, rules: Table, place = ''): void {
  const [file, args, options] = call;
  let found = checkFileArgument(file, args);
  if (found !== null) throwProblem(`${place}file`, found);
  found = args === undefined ? null : checkArgs(args);
  if (found !== null) throwProblem(`${place}args`, found);
  found = options === undefined ? null : (checkTable(options, rules) ?? checkTogether(options as RunOptions));
  if (found !== null) throwProblem(`${place}options`, found);
  const env = (options as RunOptions | undefined)?.env;
  found = checkArgvSize(file as string, args as readonly string[] | undefined, env);
  if (found !== null) throwProblem(`${place}args`, found);
}
