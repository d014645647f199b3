/** Commands and groups of callers, option by option. */

import type { RunCommand, RunGroup, RunLimits } from './command.js';
import {
  AMOUNT,
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
} from './option-check.js';

const STDIN: ValueRule = [
  'a string, or an object as the wire has it',
  (value) => typeof value === 'string' || (typeof value === 'object' && value !== null),
];

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
  processCount: AMOUNT,
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
  }
}
