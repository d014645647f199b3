/**
 * Requests are checked before they are sent: JSON turns NaN into null, which is a limit of 0, and on `/ws` a
 * request that the server cannot read ends the connection and every other run on it.
 */
import {
  advice,
  checkValue,
  FLAG,
  isObject,
  isText,
  refuse,
  TEXT,
  TEXTS,
  type ValueRule,
} from './option-check.js';
import { WIRE_NUMBER_MAX } from './units.js';
import { STREAM_PLACE_MAX, type WireCmd, type WireRequest } from './wire/index.js';

/** `true`: streams are allowed. */
export type IsStream = boolean;

type Rule = (value: unknown) => boolean;

const isWhole: Rule = (value) => Number.isSafeInteger(value);
const isCount: Rule = (value) => isWhole(value) && (value as number) >= 0;

const COUNT: ValueRule = [`a whole number from 0 to ${WIRE_NUMBER_MAX}`, isCount];

/** Key of a cmd → its rule. `files` and `copyIn` have their own below. */
const CMD_RULES: Record<Exclude<keyof WireCmd, 'files' | 'copyIn'>, ValueRule> = {
  args: TEXTS,
  env: TEXTS,
  tty: FLAG,
  cpuLimit: COUNT,
  realCpuLimit: COUNT,
  clockLimit: COUNT,
  memoryLimit: COUNT,
  stackLimit: COUNT,
  procLimit: COUNT,
  cpuRateLimit: COUNT,
  cpuSetLimit: TEXT,
  dataSegmentLimit: FLAG,
  strictMemoryLimit: FLAG,
  addressSpaceLimit: FLAG,
  copyOut: TEXTS,
  copyOutCached: TEXTS,
  copyOutMax: COUNT,
  copyOutTruncate: FLAG,
  copyOutDir: TEXT,
};

/** What makes a file of each form. */
const FILE_FORMS: readonly Rule[] = [
  (file) => isText((file as { src?: unknown }).src),
  (file) => isText((file as { content?: unknown }).content),
  (file) => isText((file as { fileId?: unknown }).fileId),
];
const isCollector: Rule = (file) => {
  const { name, max } = file as { name?: unknown; max?: unknown };
  return isText(name) && isWhole(max);
};
const isLink: Rule = (file) => isText((file as { symlink?: unknown }).symlink);
const isStreamFile: Rule = (file) => {
  const { streamIn, streamOut } = file as { streamIn?: unknown; streamOut?: unknown };
  return streamIn === true || streamOut === true;
};

/** A descriptor's file, whichever form it has. */
export const isDescriptorFile: Rule = (file) =>
  isObject(file) && [...FILE_FORMS, isCollector, isStreamFile].some((rule) => rule(file));
/** What can lie in the work folder. */
const isWorkFile: Rule = (file) => isObject(file) && [...FILE_FORMS, isLink].some((rule) => rule(file));

/** Throws `GOJUDGE_REQUEST` with the field's name. */
export function checkRequest(request: WireRequest, isStream: IsStream = false): void {
  if (request.cmd.length === 0) refuse('commands', 'not empty', request.cmd);
  for (const [index, cmd] of request.cmd.entries()) checkCmd(`commands[${index}]`, index, cmd, isStream);
  for (const [index, pipe] of (request.pipeMapping ?? []).entries()) {
    for (const end of ['in', 'out'] as const) {
      const place = `pipes[${index}].${end}`;
      checkValue(`${place}.index`, pipe[end]?.index, COUNT);
      checkValue(`${place}.fd`, pipe[end]?.fd, COUNT);
    }
    if (pipe.max !== undefined) checkValue(`pipes[${index}].max`, pipe.max, COUNT);
  }
}

function checkCmd(place: string, cmdIndex: number, cmd: WireCmd, isStream: IsStream): void {
  if (cmd.args.length === 0) refuse(`${place}.args`, 'not empty', cmd.args);
  for (const [key, rule] of Object.entries(CMD_RULES)) {
    const value = cmd[key as keyof WireCmd];
    if (value !== undefined) checkValue(`${place}.${key}`, value, rule);
  }
  for (const [fd, file] of (cmd.files ?? []).entries()) {
    if (file === null) continue;
    if (isObject(file) && isStreamFile(file)) checkStream(`${place}.files[${fd}]`, cmdIndex, fd, isStream);
    else if (!isDescriptorFile(file)) {
      const words = `null, or { src }, { content }, { fileId } or { name, max }${advice(file)}`;
      refuse(`${place}.files[${fd}]`, words, file);
    }
  }
  for (const [path, file] of Object.entries(cmd.copyIn ?? {})) {
    if (!isWorkFile(file)) {
      const words = `a string, { src }, { content }, { fileId } or { symlink }${advice(file)}`;
      refuse(`${place}.copyIn['${path}']`, words, file);
    }
  }
}

function checkStream(place: string, cmdIndex: number, fd: number, isStream: IsStream): void {
  if (!isStream) refuse(place, 'no stream: those are for interact()', 'one');
  if (Math.max(cmdIndex, fd) > STREAM_PLACE_MAX)
    refuse(place, `at an index and fd up to ${STREAM_PLACE_MAX}`, `${cmdIndex}/${fd}`);
}
