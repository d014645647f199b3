/**
 * Checks of descriptors: `stdin`, `stdout`, `stderr`, `fds`, `pty`. Pipes need a living `Process`: `spawn`
 * only.
 */

import type { Content } from '../types/files.js';
import type { ProgramOptions } from '../types/program.js';
import type {
  CaptureOptions,
  FdSpec,
  FileOutput,
  InputSpec,
  OutputSpec,
  PtyOptions,
} from '../types/stdio.js';
import {
  BOOLEAN,
  by,
  type Check,
  checkRule,
  checkTable,
  isGetter,
  isPlainObject,
  nested,
  number,
  type Table,
  table,
  text,
  word,
} from './check.js';
import { CONTENT_BYTES_MAX, CONTENT_RULES, checkMode, isStream } from './content.js';
import { checkFilePath } from './paths.js';
import { keySegment, type Problem, problem, within, wrongSecret, wrongType, wrongWord } from './problem.js';

/** Highest number that `fds` may name. */
export const FD_MAX = 255;

const HOST_FD = number(0, 2 ** 31 - 1);
const BYTES_MAX = number(0, CONTENT_BYTES_MAX, { unit: 'bytes' });

const INPUT_WORDS = ['empty', 'null', 'closed', 'pipe'];
const OUTPUT_WORDS = ['capture', 'null', 'closed', 'pipe'];
const STDERR_WORDS = [...OUTPUT_WORDS, 'stdout'];

const INPUT_RULES = {
  ...CONTENT_RULES,
  seekable: BOOLEAN,
  file: by(checkFilePath),
  inherit: HOST_FD,
  stream: by(checkStream),
};
const INPUT_TABLE = table<Exclude<InputSpec, string>>('an input', INPUT_RULES, {
  exactlyOne: ['text', 'bytes', 'hostFile', 'fd', 'file', 'inherit', 'stream'],
  hints: { path: 'Give file (of the work folder) or hostFile.' },
});

const CAPTURE_TABLE = table<CaptureOptions>(
  'capture',
  { maxBytes: BYTES_MAX, overflow: word('kill', 'discard') },
  { required: ['maxBytes'] },
);
const COLLECT_TABLE = table<NonNullable<FileOutput['collect']>>(
  'collect',
  { maxBytes: BYTES_MAX, as: word('bytes', 'fd') },
  { required: ['maxBytes'] },
);
const OUTPUT_TABLE = table<Exclude<OutputSpec, string>>(
  'an output',
  {
    capture: nested(CAPTURE_TABLE),
    file: by(checkFilePath),
    mode: by(checkMode),
    collect: nested(COLLECT_TABLE),
    inherit: HOST_FD,
    sameAs: number(0, FD_MAX),
  },
  {
    exactlyOne: ['capture', 'file', 'inherit', 'sameAs'],
    hints: { maxBytes: 'It belongs into capture: { maxBytes: … }, or collect beside file.' },
  },
);

/** Columns and rows are 16 bits each. */
export const TERMINAL_SIZE_MAX = 65_535;
const TERM_RULE = text(64);
const TYPED_TABLE = table<Content>('what is typed', CONTENT_RULES, {
  exactlyOne: ['text', 'bytes', 'hostFile', 'fd'],
});
const PTY_CAPTURE_TABLE = table<NonNullable<PtyOptions['capture']>>(
  'capture',
  { maxBytes: BYTES_MAX, overflow: word('kill', 'hangup') },
  { required: ['maxBytes'] },
);
export const PTY_TABLE: Table = table<PtyOptions>('pty', {
  cols: number(0, TERMINAL_SIZE_MAX),
  rows: number(0, TERMINAL_SIZE_MAX),
  term: by(checkTerm),
  input: nested(TYPED_TABLE),
  capture: nested(PTY_CAPTURE_TABLE),
});

function checkTerm(value: unknown): Problem | null {
  return value === null ? null : checkRule(value, TERM_RULE);
}

const SPAWN_FD_TABLE = fdTable(checkInput, checkOutput);
const RUN_FD_TABLE = fdTable(withoutPipe(checkInput), withoutPipe(checkOutput));

function fdTable(input: Check, output: Check): Table {
  const keys = { input: by(input), output: by(output), fd: HOST_FD };
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

const AN_INPUT = "'empty', 'null', 'closed', 'pipe' or an object";

function checkInput(value: unknown): Problem | null {
  if (isPlainObject(value)) return checkTable(value, INPUT_TABLE) ?? checkBeside(value, INPUT_PARTNERS);
  if (typeof value !== 'string') return notAnInput(value);
  if (INPUT_WORDS.includes(value)) return null;
  // It may be the input itself, so it is not repeated.
  return wrongSecret(AN_INPUT, value, 'For text give { text: … }.');
}

/** Keys that only mean something beside one of others. */
type Partners = Readonly<Record<string, readonly string[]>>;
const INPUT_PARTNERS: Partners = { seekable: Object.keys(CONTENT_RULES) };
const OUTPUT_PARTNERS: Partners = { mode: ['file'], collect: ['file'] };

function checkBeside(value: Record<string, unknown>, partners: Partners): Problem | null {
  for (const key in partners) {
    const others = partners[key]!;
    if (value[key] === undefined || others.some((other) => value[other] !== undefined)) continue;
    return within(keySegment(key), problem('conflict', `is only for ${others.join(', ')}`));
  }
  return null;
}

function notAnInput(value: unknown): Problem {
  const bytes = value instanceof Uint8Array ? 'Give { bytes: … }.' : null;
  return wrongSecret(AN_INPUT, value, isStream(value) ? 'Give { stream: … }.' : bytes);
}

function checkStream(value: unknown): Problem | null {
  if (isStream(value)) return null;
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
  if (typeof value === 'string') return words.includes(value) ? null : notAnOutput(value, words);
  if (isPlainObject(value)) return checkTable(value, OUTPUT_TABLE) ?? checkBeside(value, OUTPUT_PARTNERS);
  const list = words.map((item) => `'${item}'`).join(', ');
  return wrongType(`one of ${list} or { capture }, { file }, { inherit }, { sameAs }`, value);
}

/** Words of `child_process`, which mean something here, too. */
const OUTPUT_HINTS: ReadonlyMap<string, string> = new Map([
  ['inherit', 'Give { inherit: 1 }: the number of a descriptor of the host.'],
  ['ignore', "Give 'null'."],
  ['overlapped', "Give 'pipe'."],
]);

function notAnOutput(value: string, words: readonly string[]): Problem {
  const found = wrongWord(value, words);
  found.hint = OUTPUT_HINTS.get(value) ?? found.hint;
  return found;
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
  if (`${fd}` === key && Number.isInteger(fd) && fd >= 0 && fd <= FD_MAX) return null;
  return problem('range', `must be a descriptor number from 0 to ${FD_MAX}`);
}

const STANDARD = ['stdin', 'stdout', 'stderr'] as const;

/** A number of 0 to 2 in `fds` stands in for the option of that descriptor, which must be left out then. */
export function checkStandardTwice(options: ProgramOptions): Problem | null {
  const { fds } = options;
  if (fds === undefined) return null;
  for (const [fd, name] of STANDARD.entries()) {
    if (fds[fd] === undefined || options[name] === undefined) continue;
    return within(`.fds[${fd}]`, problem('conflict', `must be left out beside ${name}, which is the same`));
  }
  return null;
}

/** Whether what the program writes there is collected as it comes. */
export function isCaptured({ fds, ...options }: ProgramOptions, fd: 1 | 2): boolean {
  const own = fds?.[fd];
  if (own === undefined) return isCapture(options[STANDARD[fd] as 'stdout' | 'stderr']);
  return 'output' in own && own.output !== undefined && isCapture(own.output);
}

function isCapture(output: OutputSpec | 'stdout' | undefined): boolean {
  return typeof output === 'object' ? 'capture' in output : output === undefined || output === 'capture';
}
