/**
 * Options of the calls, checked by core's rules before anything is started: what an engine would refuse must
 * not wait for the second step.
 */
import { InvalidOptionsError, optionRules } from '@sbx/core';
import type { ProbeOptions } from './probe.js';
import type { Artifact, CompileOptions, RunArtifactOptions, RunCodeOptions } from './types.js';

const { by, checkEnv, checkRule, isPlainObject, ONE_SHOT_RULES, PROGRAM_HINTS } = optionRules;
const { checkTable, problem, quote, table, text, throwProblem, wrongType } = optionRules;
type Problem = optionRules.Problem;
type Rule = optionRules.Rule;
type Table = optionRules.Table;

const NAME_BYTES_MAX = 4096;

/** Source code. Core bounds what a file may hold; messages never repeat it. */
export const CODE: Rule = text(Number.MAX_SAFE_INTEGER, { empty: true, secret: true });
/** A name that is looked up. */
export const NAME: Rule = text(NAME_BYTES_MAX);
/** Arguments of a program. */
export const ARGS: Rule = by(optionRules.checkArgs);
/** A record: a list of `NAME=value` cannot be laid over another one. */
export const ENV: Rule = by((value) =>
  isPlainObject(value) ? checkEnv(value) : wrongType('a plain object of name: value', value),
);

/** A relative name without folders that no program takes for a flag, or for a list of flags. */
export function checkPlainFileName(value: unknown): Problem | null {
  const found = checkRule(value, NAME);
  if (found !== null || /^[^-+@./][^/]*$/u.test(value as string)) return found;
  const expected = 'must be a file name without folders that does not start with "-", "+", "@" or "."';
  return problem('format', expected, quote(value as string));
}

const CALL = { engine: by(checkEngine), signal: ONE_SHOT_RULES.signal };
const PROGRAM = {
  args: ARGS,
  env: ENV,
  files: ONE_SHOT_RULES.files,
  copyOut: ONE_SHOT_RULES.copyOut,
  copyOutMaxBytes: ONE_SHOT_RULES.copyOutMaxBytes,
  copyOutTotalBytes: ONE_SHOT_RULES.copyOutTotalBytes,
  limits: ONE_SHOT_RULES.limits,
  stdin: ONE_SHOT_RULES.stdin,
  stdout: ONE_SHOT_RULES.stdout,
  stderr: ONE_SHOT_RULES.stderr,
  fds: ONE_SHOT_RULES.fds,
  killGraceMs: ONE_SHOT_RULES.killGraceMs,
  onStdout: ONE_SHOT_RULES.onStdout,
  onStderr: ONE_SHOT_RULES.onStderr,
  network: ONE_SHOT_RULES.network,
  seccomp: ONE_SHOT_RULES.seccomp,
  seccompAction: ONE_SHOT_RULES.seccompAction,
  seccompFamily: ONE_SHOT_RULES.seccompFamily,
};
const BYTES_OR_TEXT: Rule = by((value) => (value instanceof Uint8Array ? null : checkRule(value, CODE)));
const SOURCE = { language: NAME, code: BYTES_OR_TEXT, fileName: by(checkPlainFileName) };

const { args: _args, ...PROGRAM_KEYS } = PROGRAM_HINTS;
const FLAGS =
  "They are a language's: createRegistry({ languages: [{ ...definition, compile: { ...definition.compile, args } }] }), with the definition of languages.find('cpp').";
const FLAG_KEYS = ['flags', 'compilerFlags', 'compileFlags', 'compileArgs', 'compilerArgs', 'cflags', 'std'];
const SOURCE_HINTS = {
  ...PROGRAM_KEYS,
  ...Object.fromEntries(FLAG_KEYS.map((key) => [key, FLAGS])),
  source: 'Did you mean code?',
};
const EXAMPLE = "{ language: 'python', code: '…' }";

const COMPILE = table<CompileOptions>(
  'the options of compile',
  { ...CALL, ...SOURCE, files: PROGRAM.files, limits: PROGRAM.limits, env: ENV },
  { required: ['language', 'code'], hints: { ...SOURCE_HINTS, args: FLAGS }, example: EXAMPLE },
);
const ARTIFACT = table<Artifact>(
  'what compile gives',
  { language: NAME, source: by(checkPlainFileName), files: PROGRAM.files },
  { required: ['language', 'source', 'files'] },
);
const RUN_ARTIFACT = table<RunArtifactOptions>(
  'the options of runArtifact and prepareRun',
  { ...CALL, ...PROGRAM },
  { hints: PROGRAM_KEYS },
);
const RUN_CODE = table<RunCodeOptions>(
  'the options of runCode',
  { ...CALL, ...PROGRAM, ...SOURCE, compileLimits: PROGRAM.limits },
  { required: ['language', 'code'], hints: SOURCE_HINTS, example: EXAMPLE },
);

export function validateCompile(options: CompileOptions): void {
  validate(options, COMPILE);
}
export function validateRunArtifact(artifact: Artifact, options: RunArtifactOptions): void {
  if (typeof artifact === 'object' && artifact !== null && 'artifact' in artifact) {
    const expected = 'must be an artifact, not the whole of what compile gave';
    const hint = 'Give compilation.artifact, when compilation.ok.';
    throw new InvalidOptionsError({ field: 'artifact', rule: 'type', expected, hint });
  }
  validate(artifact, ARTIFACT, 'artifact');
  validate(options, RUN_ARTIFACT);
}
export function validateRunCode(options: RunCodeOptions): void {
  validate(options, RUN_CODE);
}

const PROBE = table<ProbeOptions>('the options of probe', {
  languages: by((value) => (Array.isArray(value) ? null : wrongType('an array of names', value))),
  signal: CALL.signal,
});

export function validateProbe(engine: unknown, options: unknown): void {
  const found = engine === undefined ? null : checkEngine(engine);
  if (found !== null) throwProblem('engine', found);
  if (options !== undefined) validate(options, PROBE);
}

/** Throws `InvalidOptionsError` for what is no text. */
export function checkText(value: unknown, name: string): void {
  if (typeof value !== 'string') throwProblem(name, wrongType('a string', value));
}

/** Throws `InvalidOptionsError` for the first fault; `name` is the argument's. */
export function validate(value: unknown, rules: Table, name = 'options'): void {
  const found = checkTable(value, rules);
  if (found !== null) throwProblem(name, found);
}

/** By shape: any runner, and a test's double, will do. */
function checkEngine(value: unknown): Problem | null {
  const isEngine = typeof (value as { run?: unknown } | null)?.run === 'function';
  return isEngine ? null : wrongType('an Engine', value);
}
