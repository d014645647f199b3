/**
 * Which keys are legal in which call about programs, each with its rule: the tables behind `program.ts` and
 * `group.ts`.
 */
import { TIMER_MS_MAX } from '@sbx/shared';
import { SYSCALL_FAMILIES } from '../native/tables.js';
import type { FreshRunOptions, SessionOptions } from '../types/internal.js';
import type { ProgramOptions, RunOptions } from '../types/program.js';
import type { StandbyProgram } from '../types/standby.js';
import { checkEnv } from './argv.js';
import { by, nested, number, type Rule, type Table, table, text, word } from './check.js';
import { CONTENT_BYTES_MAX, checkCopyOut, checkFiles, checkWorkspace } from './content.js';
import { CALL_HINTS, CREATE_HINTS, PROGRAM_HINTS, RUN_HINTS, SPAWN_HINTS } from './foreign-names.js';
import { LIMITS_RULE, PROGRAM_LIMITS_RULE } from './limits.js';
import { PATH_BYTES_MAX } from './paths.js';
import { type Problem, problem, within, wrongType, wrongWord } from './problem.js';
import { checkStandardTwice, isCaptured, PTY_TABLE, RUN_STDIO, SPAWN_STDIO } from './stdio.js';

/** Longest time between SIGTERM and SIGKILL, in ms: a close must end. */
export const KILL_GRACE_MS_MAX = 60_000;

const FUNCTION: Rule = { kind: 'function' };
export const SIGNAL_RULE = by(checkSignal);
const ENGINE_RULE = by(checkEngine);
const ENV_RULE = by(checkEnv);
const FILES_RULE = by(checkFiles);

const SHAPE_RULES = {
  network: by(checkNetwork),
  seccomp: word('default', 'strict'),
  seccompAction: word('errno', 'kill'),
};

/** Of a sandbox that stays. */
export const LIFETIME_RULE = number(1, TIMER_MS_MAX, { unit: 'ms', nullMeans: 'no end before close()' });

export const KILL_GRACE_RULE = number(0, KILL_GRACE_MS_MAX, { integer: false, unit: 'ms' });

const COMMON_RULES = {
  pty: nested(PTY_TABLE),
  env: ENV_RULE,
  lookup: word('path', 'cwd-first'),
  cwd: text(PATH_BYTES_MAX),
  seccompFamily: word(...SYSCALL_FAMILIES),
  killGraceMs: KILL_GRACE_RULE,
};

const RUN_RULES = {
  ...COMMON_RULES,
  stdin: by(RUN_STDIO.stdin),
  stdout: by(RUN_STDIO.stdout),
  stderr: by(RUN_STDIO.stderr),
  fds: by(RUN_STDIO.fds),
  files: FILES_RULE,
  copyOut: by(checkCopyOut),
  copyOutMaxBytes: number(0, CONTENT_BYTES_MAX, { unit: 'bytes' }),
  copyOutTotalBytes: number(0, Number.MAX_SAFE_INTEGER, { unit: 'bytes' }),
};

/** Options of a call, and in a group of the whole group. */
export const ABORT_RULES = { signal: SIGNAL_RULE, onAbort: word('reject', 'resolve') };
const CALL_RULES = { ...ABORT_RULES, onStdout: FUNCTION, onStderr: FUNCTION };

/** Descriptors of a living program. */
export const SPAWN_STDIO_RULES = {
  stdin: by(SPAWN_STDIO.stdin),
  stdout: by(SPAWN_STDIO.stdout),
  stderr: by(SPAWN_STDIO.stderr),
  fds: by(SPAWN_STDIO.fds),
};

/** `ProgramOptions`: a living process in a standing sandbox. */
export const SPAWN_TABLE: Table = table<ProgramOptions>(
  'the options of spawn',
  {
    ...COMMON_RULES,
    ...ABORT_RULES,
    ...SPAWN_STDIO_RULES,
    limits: PROGRAM_LIMITS_RULE,
  },
  { hints: SPAWN_HINTS },
);

/** `RunOptions`: a program in a standing sandbox, to its end. */
export const RUN_TABLE: Table = table<RunOptions>(
  'the options of run',
  { ...RUN_RULES, ...CALL_RULES, limits: PROGRAM_LIMITS_RULE },
  { hints: RUN_HINTS },
);

/** `GroupProgram`, without file and arguments. */
export const GROUP_PROGRAM_RULES = {
  ...RUN_RULES,
  ...SHAPE_RULES,
  limits: LIMITS_RULE,
};

/** The class is above this file. */
interface NamesEngine {
  engine?: unknown;
}

/** Rules of `OneShotOptions`, by key. */
export const ONE_SHOT_RULES = { ...GROUP_PROGRAM_RULES, ...CALL_RULES, engine: ENGINE_RULE };

/** `OneShotOptions`: a program in a fresh sandbox. */
export const ONE_SHOT_TABLE: Table = table<FreshRunOptions & NamesEngine>(
  'the options of Sandbox.run',
  ONE_SHOT_RULES,
  { hints: CALL_HINTS },
);

/** The same for a living process. */
export const ONE_SHOT_SPAWN_TABLE: Table = table<FreshRunOptions & NamesEngine>(
  'the options of Sandbox.spawn',
  { ...ONE_SHOT_RULES, ...SPAWN_STDIO_RULES },
  { hints: CALL_HINTS },
);

/** `StandbyProgram`, without file, arguments, entry and files. */
export const STANDBY_TABLE: Table = table<Omit<StandbyProgram, 'file' | 'args' | 'entry' | 'files'>>(
  'a program of a standby',
  {
    ...SHAPE_RULES,
    env: ENV_RULE,
    cwd: COMMON_RULES.cwd,
    seccompFamily: COMMON_RULES.seccompFamily,
    limits: LIMITS_RULE,
  },
  { hints: PROGRAM_HINTS },
);

/** `SandboxOptions`. */
export const SANDBOX_TABLE: Table = table<SessionOptions & NamesEngine>(
  'the options of Sandbox.create',
  {
    ...SHAPE_RULES,
    engine: ENGINE_RULE,
    limits: LIMITS_RULE,
    env: ENV_RULE,
    workspace: by(checkWorkspace),
    files: FILES_RULE,
    lifetimeMs: LIFETIME_RULE,
    signal: SIGNAL_RULE,
  },
  { hints: CREATE_HINTS },
);

/** Options of a group's request other than its programs and pipes. */
export const GROUP_REQUEST_RULES = {
  ...ABORT_RULES,
  settle: word('all', 'each'),
  engine: ENGINE_RULE,
};

/** Options that are legal each, but not together. They must have passed their table. */
export function checkTogether(options: RunOptions): Problem | null {
  const { pty, onStdout, onStderr } = options;
  if (pty !== undefined) return checkWithPty(options);
  if (onStdout !== undefined && !isCaptured(options, 1))
    return neverCalled('onStdout', 'stdout is not captured');
  if (onStderr !== undefined && !isCaptured(options, 2))
    return neverCalled('onStderr', 'stderr is not captured');
  return checkStandardTwice(options);
}

function checkWithPty(options: RunOptions): Problem | null {
  for (const stream of ['stdin', 'stdout', 'stderr'] as const) {
    if (options[stream] === undefined) continue;
    const expected = 'must be left out beside pty: a terminal takes the place of all three';
    return within(`.${stream}`, problem('conflict', expected));
  }
  if (options.onStderr === undefined) return null;
  return neverCalled('onStderr', 'a terminal has one output, which goes to onStdout');
}

/** A living program's terminal is a stream, unless its output is collected. */
export function checkLiving({ pty, onStdout }: RunOptions): Problem | null {
  if (pty === undefined || pty.capture !== undefined || onStdout === undefined) return null;
  return neverCalled('onStdout', 'output of a terminal comes on process.stdout here');
}

function neverCalled(callback: 'onStdout' | 'onStderr', why: string): Problem | null {
  return within(`.${callback}`, problem('conflict', `would never be called: ${why}`));
}

/** By shape: a signal may come from another realm or a polyfill. */
function checkSignal(value: unknown): Problem | null {
  const signal = value as { aborted?: unknown; addEventListener?: unknown } | null;
  const isSignal =
    typeof signal === 'object' &&
    signal !== null &&
    typeof signal.aborted === 'boolean' &&
    typeof signal.addEventListener === 'function';
  return isSignal ? null : wrongType('an AbortSignal', value, signalHint(value));
}

function checkNetwork(value: unknown): Problem | null {
  if (value === false || value === 'loopback') return null;
  const found = wrongWord(value, [false, 'loopback']);
  found.hint ??= "'loopback' is 127.0.0.1 within the sandbox; no value leads out of it.";
  return found;
}

function signalHint(value: unknown): string | null {
  if (value instanceof AbortController) return 'Give its signal property.';
  return typeof value === 'string' ? 'This is the signal to abort with; to send one call kill().' : null;
}

/** By shape as well: the engine's file stands above this one. */
function checkEngine(value: unknown): Problem | null {
  const isEngine =
    typeof value === 'object' && value !== null && 'createSandbox' in value && 'runGroup' in value;
  return isEngine ? null : wrongType('an Engine, as Engine.open gives it', value);
}
