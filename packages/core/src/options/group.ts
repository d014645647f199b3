/** Requests for groups: programs, each in a sandbox of its own, and the pipes between their descriptors. */
import type { EachGroupRequest, GroupPipe, GroupProgram, GroupRequest } from '../types/group.js';
import { checkArgs, checkArgvSize, checkFileArgument } from './argv.js';
import { BOOLEAN, by, type Check, checkTable, nested, number, type Table, table } from './check.js';
import { CONTENT_BYTES_MAX } from './content.js';
import { type Problem, problem, throwProblem, within, wrongType } from './problem.js';
import {
  checkTogether,
  GROUP_PROGRAM_RULES,
  GROUP_REQUEST_RULES,
  SPAWN_STDIO_RULES,
} from './program-rules.js';
import { FD_MAX } from './stdio.js';

type AnyRequest = GroupRequest | EachGroupRequest;

/** Programs in one group: each takes a sandbox of the engine. */
export const GROUP_SIZE_MAX = 256;
/** Pipes in one group. */
export const GROUP_PIPE_COUNT_MAX = 4096;

const PROGRAM_RULES = { ...GROUP_PROGRAM_RULES, file: by(anything), args: by(checkArgs) };
const PROGRAM_MORE = {
  required: ['file'] as const,
  hints: {
    signal: 'Give signal beside programs: it ends the whole group.',
    onAbort: 'Give onAbort beside programs: it is for the whole group.',
    onStdout: 'Groups have no callbacks; record a pipe instead.',
    onStderr: 'Groups have no callbacks; record a pipe instead.',
    options: 'Its options stand beside file and args: { file, args, ...options }.',
  },
};
const PROGRAM_TABLE = table<GroupProgram>('a program of a group', PROGRAM_RULES, PROGRAM_MORE);
const SPAWN_PROGRAM_TABLE = table<GroupProgram>(
  'a program of a group',
  { ...PROGRAM_RULES, ...SPAWN_STDIO_RULES },
  PROGRAM_MORE,
);

const END_TABLE = table<GroupPipe['from']>(
  'the end of a pipe',
  { index: number(0, GROUP_SIZE_MAX - 1), fd: number(0, FD_MAX) },
  { required: ['index', 'fd'] },
);

const RECORD_TABLE = table<NonNullable<GroupPipe['record']>>(
  'record',
  { maxBytes: number(0, CONTENT_BYTES_MAX, { unit: 'bytes' }), drain: BOOLEAN },
  { required: ['maxBytes'] },
);

const RELAY_TABLE = table<Exclude<NonNullable<GroupPipe['relay']>, true>>('relay', { drain: BOOLEAN });

const PIPE_TABLE = table<GroupPipe>(
  'a pipe',
  { from: nested(END_TABLE), to: nested(END_TABLE), record: nested(RECORD_TABLE), relay: by(checkRelay) },
  {
    required: ['from', 'to'],
    hints: {
      in: 'Give from: the end that a program writes to.',
      out: 'Give to: the end that a program reads from.',
    },
  },
);

const GROUP_TABLE = groupTable('the request of runGroup', PROGRAM_TABLE);
const SPAWN_GROUP_TABLE = groupTable('the request of spawnGroup', SPAWN_PROGRAM_TABLE);

function groupTable(what: string, program: Table): Table {
  const rules = {
    ...GROUP_REQUEST_RULES,
    programs: by((value) => checkPrograms(value, program)),
    pipes: by(checkPipes),
  };
  return table<(GroupRequest | EachGroupRequest) & { engine?: unknown }>(what, rules, {
    required: ['programs'],
    example:
      '{ programs: [{ file, args }, …], pipes: [{ from: { index: 0, fd: 1 }, to: { index: 1, fd: 0 } }] }',
  });
}

/** Checks the request of `runGroup`. Throws `InvalidOptionsError`. */
export function validateGroup(request: unknown): void {
  validateBy(GROUP_TABLE, request);
}

/** Checks the request of `spawnGroup`, where programs may have live streams. Throws `InvalidOptionsError`. */
export function validateSpawnGroup(request: unknown): void {
  validateBy(SPAWN_GROUP_TABLE, request);
}

function validateBy(rules: Table, request: unknown): void {
  const found =
    checkTable(request, rules) ?? checkNulls(request as AnyRequest) ?? checkPlugs(request as AnyRequest);
  if (found !== null) throwProblem('request', found);
}

/** The file is judged together with the arguments. */
function anything(): null {
  return null;
}

function checkPrograms(value: unknown, program: Table): Problem | null {
  if (!Array.isArray(value)) return wrongType('an array of programs', value);
  if (value.length < 1 || value.length > GROUP_SIZE_MAX) {
    return problem('size', `must have 1 to ${GROUP_SIZE_MAX} programs`, `${value.length}`);
  }
  return checkEach(value, (item) => (item === null ? null : checkProgram(item, program)));
}

/** A program that is not to be started has no result, which only `EachGroupResult` can say. */
function checkNulls({ programs, settle }: AnyRequest): Problem | null {
  const index = settle === 'each' ? -1 : (programs as readonly unknown[]).indexOf(null);
  if (index < 0) return null;
  const hint = "Leave it out, or set settle: 'each'.";
  return within(
    `.programs[${index}]`,
    problem('conflict', "may be null with settle: 'each' only", null, hint),
  );
}

function checkProgram(value: unknown, rules: Table): Problem | null {
  const found = checkTable(value, rules);
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
  const found = checkTable(value, PIPE_TABLE);
  if (found !== null) return found;
  const { record, relay } = value as GroupPipe;
  if (record === undefined || relay === undefined) return null;
  return within('.relay', problem('conflict', 'must be left out beside record, which is a relay already'));
}

function checkRelay(value: unknown): Problem | null {
  return value === true ? null : checkTable(value, RELAY_TABLE);
}

function checkEach(values: readonly unknown[], check: Check): Problem | null {
  for (let index = 0; index < values.length; index++) {
    const found = check(values[index]);
    if (found !== null) return within(`[${index}]`, found);
  }
  return null;
}

/** Every end must be a program's descriptor that nothing else is plugged into. */
function checkPlugs({ programs, pipes = [] }: AnyRequest): Problem | null {
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
  programs: readonly (GroupProgram | null)[],
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
  const other = taken.get(key) ?? (program === null ? null : ownPlug(program, end));
  if (other === null) {
    taken.set(key, path.slice(1));
    return null;
  }
  return within(
    '.fd',
    problem('conflict', `must be free, but ${other} already uses it`, `descriptor ${end.fd}`),
  );
}

/** The option of the program itself for this descriptor, or `null`. A terminal gives way, as to `fds`. */
function ownPlug(program: GroupProgram, { index, fd }: { index: number; fd: number }): string | null {
  const name = `programs[${index}]`;
  if (program.fds?.[fd] !== undefined) return `${name}.fds[${fd}]`;
  if (fd > 2) return null;
  const stream = (['stdin', 'stdout', 'stderr'] as const)[fd]!;
  return program[stream] === undefined ? null : `${name}.${stream}`;
}
