/**
 * Checks of the calls on files of a living sandbox. Their names are those of `node:fs/promises`, some of
 * their options are not.
 */

import type { SnapshotOptions, WatchOptions } from '../types/files.js';
import { BOOLEAN, by, checkRule, checkTable, number, type Table, table, text } from './check.js';
import {
  CONTENT_BYTES_MAX,
  checkFileInput,
  checkFiles,
  checkMode,
  FILE_COUNT_MAX,
  hasKeyOfFile,
  isStream,
} from './content.js';
import { checkFilePath, PATH_BYTES_MAX } from './paths.js';
import { type Problem, problem, throwProblem } from './problem.js';
import { SIGNAL_RULE } from './program-rules.js';

const REPLACES = 'What is there is replaced; look with exists.';
const READ_FILE = table<{ maxBytes?: number }>(
  'the options of readFile',
  { maxBytes: number(0, CONTENT_BYTES_MAX, { unit: 'bytes' }) },
  { hints: { encoding: 'For text call readTextFile.' } },
);
const ADDS = 'A file is made or replaced; to add to one call appendFile.';
const WRITE_FILE = table<{ mode?: number }>(
  'the options of writeFile',
  { mode: by(checkMode) },
  {
    hints: {
      encoding: 'Text is written as UTF-8; give bytes for another encoding.',
      // Of writeFile and createWriteStream of Node, and of Deno.
      flag: ADDS,
      flags: ADDS,
      append: ADDS,
    },
  },
);
const APPEND_FILE = table<{ mode?: number }>(
  'the options of appendFile',
  { mode: by(checkMode) },
  { hints: { encoding: 'Text is written as UTF-8; give bytes for another encoding.' } },
);
const COPY_FILE = table<{ mode?: number }>(
  'the options of copyFile',
  { mode: by(checkMode) },
  {
    hints: { recursive: 'For a folder let a program do it: cp -a.', force: REPLACES, errorOnExist: REPLACES },
  },
);
const MKDIR = table<{ recursive?: boolean; mode?: number }>('the options of mkdir', {
  recursive: BOOLEAN,
  mode: by(checkFolderMode),
});
const READDIR = table<{ withFileTypes?: boolean; recursive?: boolean }>('the options of readdir', {
  withFileTypes: BOOLEAN,
  recursive: BOOLEAN,
});
const RM = table<{ recursive?: boolean; force?: boolean }>('the options of rm', {
  recursive: BOOLEAN,
  force: BOOLEAN,
});

const LINK_TARGET = text(PATH_BYTES_MAX);
const SNAPSHOT = table<SnapshotOptions>('the options of snapshot', {
  maxBytes: number(0, Number.MAX_SAFE_INTEGER, { unit: 'bytes' }),
  maxFileCount: number(0, Number.MAX_SAFE_INTEGER),
  signal: SIGNAL_RULE,
});
const WATCH = table<WatchOptions>(
  'the options of watch',
  {
    recursive: BOOLEAN,
    intervalMs: number(10, 60_000, { integer: false, unit: 'ms' }),
    maxEntryCount: number(1, FILE_COUNT_MAX),
    signal: SIGNAL_RULE,
  },
  { hints: { maxQueue: 'Nothing is queued: looks are taken when events are asked for.' } },
);

/** With the sticky bit and its like, which folders of a sandbox may have. */
const FOLDER_MODE_MAX = 0o7777;

function checkFolderMode(value: unknown): Problem | null {
  return checkMode(value, FOLDER_MODE_MAX);
}

function validateOptions(options: unknown, rules: Table): void {
  const found = checkTable(options, rules);
  if (found === null) return;
  // As Node takes it: readFile(path, 'utf8').
  if (typeof options === 'string') found.hint = rules.hints.encoding ?? null;
  throwProblem('options', found);
}

export function validateReadFile(options: unknown): void {
  validateOptions(options, READ_FILE);
}

export function validateMkdir(options: unknown): void {
  validateOptions(options, MKDIR);
}

export function validateReaddir(options: unknown): void {
  validateOptions(options, READDIR);
}

export function validateSnapshot(options: unknown): void {
  validateOptions(options, SNAPSHOT);
}

export function validateWatch(options: unknown): void {
  validateOptions(options, WATCH);
}

export function validateRm(options: unknown): void {
  validateOptions(options, RM);
}

/** Checks `writeFile(…, data, options)`. */
export function validateWriteFile(data: unknown, options: unknown): void {
  validateData(data);
  validateOptions(options, WRITE_FILE);
}

/** Checks `appendFile(…, data, options)`. */
export function validateAppendFile(data: unknown, options: unknown): void {
  validateData(data);
  if (typeof data === 'object' && Object.hasOwn(data!, 'symlink'))
    throwProblem('data.symlink', problem('conflict', 'must be left out: a link cannot be added to a file'));
  validateOptions(options, APPEND_FILE);
}

/** Checks `copyFile(from, to, options)`. */
export function validateCopyFile(from: unknown, to: unknown, options: unknown): void {
  for (const [field, path] of Object.entries({ from, to })) {
    const found = checkFilePath(path);
    if (found !== null) throwProblem(field, found);
  }
  if (typeof options === 'number') {
    const hint = `For its permissions give { mode }. ${REPLACES}`;
    throwProblem('options', problem('type', 'must be an object', `the number ${options}`, hint));
  }
  validateOptions(options, COPY_FILE);
}

function validateData(data: unknown): void {
  const found = isStream(data) ? null : checkFileInput(data);
  if (found === null) return;
  found.hint = dataHint(data, found.rule === 'unknown-key') ?? found.hint;
  throwProblem('data', found);
}

/** Checks `writeFiles(files)`. */
export function validateFiles(files: unknown): void {
  const found = checkFiles(files);
  if (found !== null) throwProblem('files', found);
}

/** Checks `symlink(target, …)`. */
export function validateLinkTarget(target: unknown): void {
  const found = checkRule(target, LINK_TARGET);
  if (found !== null) throwProblem('target', found);
}

/** Checks `chmod(…, mode)`. */
export function validateMode(mode: unknown): void {
  const found = mode === undefined ? problem('required', 'is missing') : checkFolderMode(mode);
  if (found !== null) throwProblem('mode', found);
}

function dataHint(data: unknown, hasOtherKeys: boolean): string | null {
  if (data instanceof Blob) return 'Give its stream().';
  if (data instanceof ArrayBuffer) return 'Give new Uint8Array(buffer).';
  if (data instanceof Response) return 'Give its body.';
  if (ArrayBuffer.isView(data)) return 'Give new Uint8Array(data.buffer, data.byteOffset, data.byteLength).';
  const isValue = Array.isArray(data) || (hasOtherKeys && !hasKeyOfFile(data as object));
  return isValue ? 'A value is written as text: give JSON.stringify(value).' : null;
}
