/** Checks of descriptors: `stdin`, `stdout`, `stderr`, `fds`, `pty`. Pipes need a living `Process`: `spawn` only. */
import type { FdSpec, InputSpec, OutputSpec, PtyOptions } from '../types.js';
import {
  by,
  type Check,
  checkTable,
  isGetter,
  isPlainObject,
  number,
  type Table,
  table,
  text,
} from './check.js';
import { CONTENT_RULES } from './content.js';
import { checkFilePath } from './paths.js';
import { keySegment, type Problem, problem, within, wrongSecret, wrongType, wrongWord } from './problem.js';

/** Numbers that `fds` may name: 0 to 2 have options of their own. */
export const FD_MIN = 3;
export const FD_MAX = 255;

const INPUT_WORDS = ['empty', 'null', 'pipe'];
const OUTPUT_WORDS = ['capture', 'null', 'pipe'];
const STDERR_WORDS = [...OUTPUT_WORDS, 'stdout'];

const INPUT_RULES = { ...CONTENT_RULES, file: by(checkFilePath), stream: by(checkStream) };
const INPUT_TABLE = table<Exclude<InputSpec, string>>('an input', INPUT_RULES, {
  exactlyOne: ['text', 'bytes', 'hostFile', 'fd', 'file', 'stream'],
  hints: { path: 'Give file (of the work folder) or hostFile.' },
});
const OUTPUT_TABLE = table<Exclude<OutputSpec, string>>(
  'an output',
  { file: by(checkFilePath) },
  { required: ['file'] },
);

export const PTY_TABLE: Table = table<PtyOptions>('pty', {
  cols: number(1, 65_535),
  rows: number(1, 65_535),
  term: text(64),
});

const SPAWN_FD_TABLE = fdTable(checkInput, checkOutput);
const RUN_FD_TABLE = fdTable(withoutPipe(checkInput), withoutPipe(checkOutput));

function fdTable(input: Check, output: Check): Table {
  const keys = { input: by(input), output: by(output), fd: number(0, 2 ** 31 - 1) };
  return table<FdSpec>('a descriptor', keys, { exactlyOne: ['input', 'output', 'fd'] });
}

/** Checks for a living process, where `'pipe'` is legal. */
export const SPAWN_STDIO = {
  stdin: checkInput,
  stdout: checkOutput,
  stderr: checkStderr,
  fds: checkSpawnFds,
};

/** Checks for `run`, which returns when the program has ended. */
export const RUN_STDIO = {
  stdin: withoutPipe(checkInput),
  stdout: withoutPipe(checkOutput),
  stderr: withoutPipe(checkStderr),
  fds: checkRunFds,
};

/** Made once per check at import: the result has no state of a call. */
function withoutPipe(check: Check): Check {
  return (value) => (value === 'pipe' ? pipeInRun() : check(value));
}

function pipeInRun(): Problem {
  const hint = 'Use spawn for a living process, { stream } for input that comes bit by bit.';
  return problem(
    'not-here',
    "must not be 'pipe' here: run answers only when the program has ended",
    null,
    hint,
  );
}

function checkInput(value: unknown): Problem | null {
  if (isPlainObject(value)) return checkTable(value, INPUT_TABLE);
  if (typeof value !== 'string') return notAnInput(value);
  if (INPUT_WORDS.includes(value)) return null;
  // It may be the input itself, so it is not repeated.
  return wrongSecret("'empty', 'null', 'pipe' or an object", value, 'For text give { text: … }.');
}

function notAnInput(value: unknown): Problem {
  const isStream = typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
  const bytes = value instanceof Uint8Array ? 'Give { bytes: … }.' : null;
  return wrongSecret("'empty', 'null', 'pipe' or an object", value, isStream ? 'Give { stream: … }.' : bytes);
}

function checkStream(value: unknown): Problem | null {
  const isStream = typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
  if (isStream) return null;
  return wrongSecret(
    'an async iterable of bytes or text',
    value,
    'For what is there already give text or bytes.',
  );
}

function checkOutput(value: unknown): Problem | null {
  return checkOutputOf(value, OUTPUT_WORDS);
}

function checkStderr(value: unknown): Problem | null {
  return checkOutputOf(value, STDERR_WORDS);
}

function checkOutputOf(value: unknown, words: readonly string[]): Problem | null {
  if (typeof value === 'string') return words.includes(value) ? null : wrongWord(value, words);
  if (isPlainObject(value)) return checkTable(value, OUTPUT_TABLE);
  return wrongType(`one of ${words.map((item) => `'${item}'`).join(', ')} or { file }`, value);
}

function checkSpawnFds(value: unknown): Problem | null {
  return checkFds(value, SPAWN_FD_TABLE);
}

function checkRunFds(value: unknown): Problem | null {
  return checkFds(value, RUN_FD_TABLE);
}

function checkFds(value: unknown, rules: Table): Problem | null {
  if (!isPlainObject(value)) return wrongType('an object of number: descriptor', value);
  for (const key in value) {
    if (!Object.hasOwn(value, key)) continue;
    const found = checkFdNumber(key) ?? checkFd(value, key, rules);
    if (found !== null) return within(/^\d+$/.test(key) ? `[${key}]` : keySegment(key), found);
  }
  return null;
}

function checkFd(fds: Record<string, unknown>, key: string, rules: Table): Problem | null {
  if (isGetter(fds, key)) return problem('type', 'must be a plain value, not a getter');
  return fds[key] === undefined ? null : checkTable(fds[key], rules);
}

function checkFdNumber(key: string): Problem | null {
  const fd = Number(key);
  if (`${fd}` === key && Number.isInteger(fd) && fd >= FD_MIN && fd <= FD_MAX) return null;
  const hint = /^[012]$/.test(key) ? 'Descriptors 0 to 2 are stdin, stdout and stderr.' : null;
  return problem('range', `must be a descriptor number from ${FD_MIN} to ${FD_MAX}`, null, hint);
}
