/** Requests for groups: programs, each in a sandbox of its own, and the pipes between their descriptors. */
import type { GroupPipe, GroupProgram, GroupRequest } from '../types.js';
import { checkArgs, checkArgvSize, checkFileArgument } from './argv.js';
import { by, checkTable, nested, number, table } from './check.js';
import { CONTENT_BYTES_MAX } from './content.js';
import { type Problem, problem, throwProblem, within, wrongType } from './problem.js';
import { checkTogether, GROUP_PROGRAM_RULES, GROUP_REQUEST_RULES } from './program-rules.js';
import { FD_MAX } from './stdio.js';

/** Programs in one group: each takes a sandbox of the engine. */
export const GROUP_SIZE_MAX = 256;
/** Pipes in one group. */
export const GROUP_PIPE_COUNT_MAX = 4096;

const PROGRAM_TABLE = table<GroupProgram>(
  'a program of a group',
  { ...GROUP_PROGRAM_RULES, file: by(anything), args: by(checkArgs) },
  {
    required: ['file'],
    hints: {
      signal: 'Give signal beside programs: it ends the whole group.',
      onStdout: 'Groups have no callbacks; record a pipe instead.',
      onStderr: 'Groups have no callbacks; record a pipe instead.',
    },
  },
);

const END_TABLE = table<GroupPipe['from']>(
  'the end of a pipe',
  { index: number(0, GROUP_SIZE_MAX - 1), fd: number(0, FD_MAX) },
  { required: ['index', 'fd'] },
);

const RECORD_TABLE = table<NonNullable<GroupPipe['record']>>(
  'record',
  { maxBytes: number(0, CONTENT_BYTES_MAX, { unit: 'bytes' }) },
  { required: ['maxBytes'] },
);

const PIPE_TABLE = table<GroupPipe>(
  'a pipe',
  { from: nested(END_TABLE), to: nested(END_TABLE), record: nested(RECORD_TABLE) },
  { required: ['from', 'to'] },
);

const GROUP_TABLE = table<GroupRequest & { engine?: unknown }>(
  'the request of runGroup',
  { ...GROUP_REQUEST_RULES, programs: by(checkPrograms), pipes: by(checkPipes) },
  { required: ['programs'] },
);

/** Checks the request of `runGroup`. Throws `InvalidOptionsError`. */
export function validateGroup(request: unknown): void {
  const found = checkTable(request, GROUP_TABLE) ?? checkPlugs(request as GroupRequest);
  if (found !== null) throwProblem('request', found);
}

/** The file is judged together with the arguments. */
function anything(): null {
  return null;
}

function checkPrograms(value: unknown): Problem | null {
  if (!Array.isArray(value)) return wrongType('an array of programs', value);
  if (value.length < 1 || value.length > GROUP_SIZE_MAX) {
    return problem('size', `must have 1 to ${GROUP_SIZE_MAX} programs`, `${value.length}`);
  }
  return checkEach(value, checkProgram);
}

function checkProgram(value: unknown): Problem | null {
  const found = checkTable(value, PROGRAM_TABLE);
  if (found !== null) return found;
  const program = value as GroupProgram;
  const { file, args, env } = program;
  return (
    within('.file', checkFileArgument(file, args)) ??
    checkTogether(program) ??
    within('.args', checkArgvSize(file, args, env))
  );
}

function checkPipes(value: unknown): Problem | null {
  if (!Array.isArray(value)) return wrongType('an array of pipes', value);
  if (value.length > GROUP_PIPE_COUNT_MAX) {
    return problem('size', `must have at most ${GROUP_PIPE_COUNT_MAX} pipes`, `${value.length}`);
  }
  return checkEach(value, checkPipe);
}

function checkPipe(value: unknown): Problem | null {
  return checkTable(value, PIPE_TABLE);
}

function checkEach(values: readonly unknown[], check: (value: unknown) => Problem | null): Problem | null {
  for (let index = 0; index < values.length; index++) {
    const found = check(values[index]);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

/** Every end must be a program's descriptor that nothing else is plugged into. */
function checkPlugs({ programs, pipes = [] }: GroupRequest): Problem | null {
  const taken = new Map<string, string>();
  for (let number = 0; number < pipes.length; number++) {
    for (const side of ['from', 'to'] as const) {
      const path = `.pipes[${number}].${side}`;
      const found = checkPlug(pipes[number]![side], programs, taken, path);
      if (found !== null) return within(path, found);
    }
  }
  return null;
}

function checkPlug(
  end: { index: number; fd: number },
  programs: readonly GroupProgram[],
  taken: Map<string, string>,
  path: string,
): Problem | null {
  const program = programs[end.index];
  if (program === undefined) {
    return within(
      '.index',
      problem('range', `must be one of the ${programs.length} programs`, `${end.index}`),
    );
  }
  const key = `${end.index}:${end.fd}`;
  const other = taken.get(key) ?? ownPlug(program, end);
  if (other === null) {
    taken.set(key, path.slice(1));
    return null;
  }
  return within(
    '.fd',
    problem('conflict', `must be free, but ${other} already uses it`, `descriptor ${end.fd}`),
  );
}

/** What the program itself plugs into this descriptor, or `null`. */
function ownPlug(program: GroupProgram, { index, fd }: { index: number; fd: number }): string | null {
  const name = `programs[${index}]`;
  if (fd > 2) return program.fds?.[fd] === undefined ? null : `${name}.fds[${fd}]`;
  if (program.pty !== undefined) return `${name}.pty`;
  const stream = (['stdin', 'stdout', 'stderr'] as const)[fd]!;
  return program[stream] === undefined ? null : `${name}.${stream}`;
}
