/** Checks of what `execve` takes: file, arguments, environment, within the kernel's bounds. */
import type { Environment } from '../types/program.js';
import { checkRule, isGetter, isPlainObject, kernelTextProblem, text } from './check.js';
import { quote } from './describe.js';
import { PATH_BYTES_MAX } from './paths.js';
import { keySegment, type Problem, problem, within, wrongSecret, wrongType } from './problem.js';

/**
 * Longest single argument or `NAME=value` in bytes, its NUL left out: the kernel's MAX_ARG_STRLEN is 128 KiB
 * with it.
 */
export const ARG_BYTES_MAX = 131_071;
/**
 * All arguments and variables with their NULs and pointers. The kernel takes a quarter of the stack, 6 MiB at
 * the most.
 */
export const ARGV_BYTES_MAX = 2 * 2 ** 20 - 4096;
/** Arguments, and variables, of one program. */
export const ARG_COUNT_MAX = 65_536;

/** The cost of each string on top of its bytes: NUL and pointer. */
const PER_STRING_BYTES = 9;

const FILE_RULE = text(PATH_BYTES_MAX);

/**
 * Checks the program's file; `args` because a file with spaces and no list of arguments is a shell command.
 */
export function checkFileArgument(file: unknown, args: unknown): Problem | null {
  if (typeof file !== 'string') return wrongType('a string', file, fileHint(file));
  const found = checkRule(file, FILE_RULE);
  if (found !== null) return found;
  return args === undefined && /\s/.test(file) ? shellLine(file) : null;
}

/** A whole command, or what prepareRun of @sbx/languages gives, in the place of its file. */
function fileHint(value: unknown): string | null {
  if (Array.isArray(value)) return 'File and arguments are two: run(file, args, options).';
  if (!isPlainObject(value) || !('file' in value)) return null;
  return 'Give its parts apart: run(file, args, options).';
}

function shellLine(line: string): Problem {
  const [file, ...args] = line.trim().split(/\s+/);
  const list = args.map((argument) => JSON.stringify(argument)).join(', ');
  const instead = line.length <= 80 ? ` (${JSON.stringify(file)}, [${list}])` : '';
  const hint =
    `There is no shell: give file and arguments apart${instead}, or use the sh template for a shell. ` +
    'When the name really has a space, give [] as the arguments.';
  return problem('format', 'must be a file name alone', quote(line), hint);
}

/** Checks the list of arguments. */
export function checkArgs(args: unknown): Problem | null {
  if (!Array.isArray(args)) return notArgs(args);
  if (args.length > ARG_COUNT_MAX) {
    return problem('size', `must have at most ${ARG_COUNT_MAX} arguments`, `${args.length}`);
  }
  for (let index = 0; index < args.length; index++) {
    const found = checkArgument(args[index]);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

function notArgs(args: unknown): Problem {
  const isObject = typeof args === 'object' && args !== null;
  const list = typeof args === 'string' && args.length <= 80 ? `Give [${JSON.stringify(args)}].` : null;
  return wrongType('an array of strings', args, isObject ? 'Options come third: (file, [], options).' : list);
}

function checkArgument(value: unknown): Problem | null {
  if (typeof value !== 'string') return wrongType('a string', value);
  return kernelTextProblem(value) ?? tooLong(value, '');
}

/** Checks an environment. Values are never repeated in messages. */
export function checkEnv(env: unknown): Problem | null {
  if (Array.isArray(env)) return checkEnvStrings(env);
  if (!isPlainObject(env)) return notEnv(env);
  let count = 0;
  for (const name in env) {
    if (!Object.hasOwn(env, name)) continue;
    if (++count > ARG_COUNT_MAX) return problem('size', `must have at most ${ARG_COUNT_MAX} variables`);
    const found = checkVariable(env, name);
    if (found !== null) return within(keySegment(name), found);
  }
  return null;
}

function checkEnvStrings(env: readonly unknown[]): Problem | null {
  if (env.length > ARG_COUNT_MAX)
    return problem('size', `must have at most ${ARG_COUNT_MAX} variables`, `${env.length}`);
  for (let index = 0; index < env.length; index++) {
    const variable = env[index];
    const found = typeof variable === 'string' ? checkEnvString(variable) : wrongSecret('a string', variable);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

function checkEnvString(variable: string): Problem | null {
  return kernelTextProblem(variable) ?? tooLong(variable, '');
}

function notEnv(env: unknown): Problem {
  const isObject = typeof env === 'object' && env !== null && !Array.isArray(env);
  const hint = 'Name the variables that it needs: { LANG: process.env.LANG }; nothing of the host is passed.';
  return wrongSecret('a plain object of name: value, or an array of strings', env, isObject ? hint : null);
}

function checkVariable(env: Record<string, unknown>, name: string): Problem | null {
  if (name === '') return problem('format', 'must have a name');
  const found = kernelTextProblem(name);
  if (found !== null) return found;
  if (name.includes('=')) return problem('format', "must not have '=' in its name");
  if (isGetter(env, name)) return problem('type', 'must be a plain value, not a getter');
  const value = env[name];
  if (typeof value !== 'string') return notAVariable(value);
  return kernelTextProblem(value) ?? tooLong(value, `${name}=`);
}

function notAVariable(value: unknown): Problem {
  if (value !== undefined) return wrongSecret('a string', value);
  return problem('type', 'must be a string', 'undefined', 'Leave the variable out instead.');
}

/** `prefix` shares the string with the value: `NAME=`. */
function tooLong(value: string, prefix: string): Problem | null {
  if ((value.length + prefix.length) * 3 <= ARG_BYTES_MAX) return null;
  const bytes = Buffer.byteLength(prefix) + Buffer.byteLength(value);
  if (bytes <= ARG_BYTES_MAX) return null;
  const hint = 'Pass it in a file or on stdin.';
  return problem(
    'size',
    `must be at most ${ARG_BYTES_MAX} bytes, the kernel's bound`,
    `${bytes} bytes`,
    hint,
  );
}

/** Checks the sum of all strings; they must have passed the other checks. `null` when it fits. */
export function checkArgvSize(
  file: string,
  args: readonly string[] | undefined,
  env: Environment | undefined,
): Problem | null {
  // First an upper bound without counting bytes: three per UTF-16 unit. Nearly all calls end here.
  if (sumBytes(file, args, env, roughBytes) <= ARGV_BYTES_MAX) return null;
  const bytes = sumBytes(file, args, env, Buffer.byteLength);
  if (bytes <= ARGV_BYTES_MAX) return null;
  const expected = `must be at most ${ARGV_BYTES_MAX} bytes with the environment, the kernel's bound`;
  return problem('size', expected, `${bytes} bytes`, 'Pass large data in a file or on stdin.');
}

function roughBytes(value: string): number {
  return value.length * 3;
}

function sumBytes(
  file: string,
  args: readonly string[] | undefined,
  env: Environment | undefined,
  bytesOf: (value: string) => number,
): number {
  let sum = bytesOf(file) + PER_STRING_BYTES;
  if (args !== undefined) for (const argument of args) sum += bytesOf(argument) + PER_STRING_BYTES;
  return env === undefined ? sum : sum + sumEnvBytes(env, bytesOf);
}

function sumEnvBytes(env: Environment, bytesOf: (value: string) => number): number {
  let sum = 0;
  if (Array.isArray(env)) {
    for (const variable of env as readonly string[]) sum += bytesOf(variable) + PER_STRING_BYTES;
    return sum;
  }
  const record = env as Readonly<Record<string, string>>;
  for (const name in record)
    if (Object.hasOwn(record, name)) sum += bytesOf(name) + bytesOf(record[name]!) + 1 + PER_STRING_BYTES;
  return sum;
}
