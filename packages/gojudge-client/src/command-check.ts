/** Commands and groups of callers, option by option. */

import { isDescriptorFile } from './check.js';
import type { RunCommand, RunGroup, RunLimits } from './command.js';
import {
  AMOUNT,
  advice,
  checkOptions,
  FLAG,
  LIST,
  type OptionRules,
  RECORD,
  refuse,
  TEXT,
  TEXT_RECORD,
  TEXTS,
  type ValueRule,
  WHOLE,
} from './option-check.js';
import type { PipeMap } from './wire/index.js';

/** Looked at by `checkStdin`, which has a word for promises and bytes. */
const STDIN: ValueRule = ['', () => true];

const COMMAND_RULES: OptionRules<RunCommand> = {
  args: TEXTS,
  env: TEXT_RECORD,
  stdin: STDIN,
  outputBytes: AMOUNT,
  files: LIST,
  limits: RECORD,
  copyIn: RECORD,
  copyOut: TEXTS,
  copyOutCached: TEXTS,
  copyOutBytes: AMOUNT,
  copyOutTruncate: FLAG,
  tty: FLAG,
  wire: RECORD,
};

const LIMIT_RULES: OptionRules<RunLimits> = {
  cpuTimeMs: AMOUNT,
  wallTimeMs: AMOUNT,
  memoryBytes: AMOUNT,
  stackBytes: AMOUNT,
  processCount: WHOLE,
  cpuRate: AMOUNT,
  cpuSet: TEXT,
};

/** Names of the wire, for those who have read go-judge's own documents. */
const WIRE_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    cmd: 'runGroup({ commands })',
    cpuLimit: 'limits.cpuTimeMs',
    clockLimit: 'limits.wallTimeMs',
    memoryLimit: 'limits.memoryBytes',
    stackLimit: 'limits.stackBytes',
    procLimit: 'limits.processCount',
    cpuRateLimit: 'limits.cpuRate',
    cpuSetLimit: 'limits.cpuSet',
    copyOutMax: 'copyOutBytes',
    copyOutDir: 'wire: { copyOutDir }',
    dataSegmentLimit: 'wire: { dataSegmentLimit }',
    strictMemoryLimit: 'wire: { strictMemoryLimit }',
    addressSpaceLimit: 'wire: { addressSpaceLimit }',
  }),
);

const END: ValueRule = [
  '{ index, fd }: which command, and which descriptor of it',
  (value) => typeof value === 'object' && value !== null && 'index' in value && 'fd' in value,
];
const PIPE_RULES: OptionRules<PipeMap> = {
  in: END,
  out: END,
  proxy: FLAG,
  name: TEXT,
  max: AMOUNT,
  disableZeroCopy: FLAG,
};
/** Names of `@sbx/core`. */
const PIPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['from', 'in'],
  ['to', 'out'],
]);

const GROUP_RULES: OptionRules<RunGroup> = { commands: LIST, pipes: LIST };

/** Throws `GOJUDGE_REQUEST` with the field's name. What only the wire can tell is `checkRequest`'s. */
export function checkGroup(group: RunGroup): void {
  checkOptions('group', group, GROUP_RULES);
  if (group.commands === undefined) refuse('group.commands', 'a list', undefined);
  for (const [index, command] of group.commands.entries()) {
    const place = `commands[${index}]`;
    checkOptions(place, command, COMMAND_RULES, WIRE_NAMES);
    if (command.args === undefined) refuse(`${place}.args`, 'a list of strings', undefined);
    if (command.limits !== undefined) checkOptions(`${place}.limits`, command.limits, LIMIT_RULES);
    checkStdin(`${place}.stdin`, command.stdin);
  }
  for (const [index, pipe] of (group.pipes ?? []).entries()) {
    checkPipe(`pipes[${index}]`, pipe, group.commands.length);
  }
}

function checkStdin(place: string, stdin: RunCommand['stdin']): void {
  if (stdin === undefined || typeof stdin === 'string' || isDescriptorFile(stdin)) return;
  refuse(place, `a string, { src }, { content } or { fileId }${advice(stdin)}`, stdin);
}

function checkPipe(place: string, pipe: PipeMap, commandCount: number): void {
  checkOptions(place, pipe, PIPE_RULES, PIPE_NAMES);
  for (const end of ['in', 'out'] as const) {
    if (pipe[end] === undefined) refuse(`${place}.${end}`, END[0], undefined);
    const { index } = pipe[end];
    if (index >= commandCount) refuse(`${place}.${end}.index`, `one of the ${commandCount} commands`, index);
  }
}
