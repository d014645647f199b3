/** After the end: collectors' contents and the files that were asked for, as bytes or into the store. */
import { closeSync, readFileSync } from 'node:fs';
import type { CopyOut, FileError, Output, OutputFile, RunResult } from '@sbx/core';
import { quoteGo } from '../decode/go-text.js';
import { EINVAL, ENOENT, EXDEV, errnoText } from '../errno.js';
import { plainText } from '../errors.js';
import type { CopyOutEntry, JobProgram } from './job.js';
import { type Gathered, noteFileError, nothingGathered } from './outcome.js';
import type { RunScope } from './scope.js';
import type { Collector } from './stdio.js';
import { insidePath, isDevice } from './work-path.js';

/** One file, as the engine takes it. */
const TAKEN_BYTES_MAX = 2 ** 31;
const EMPTY = new Uint8Array(0);

/** One entry per place, however often and in whatever spelling it is named. */
export function makeCopyOut(program: JobProgram, workDir: string): CopyOut[] {
  const byPath = new Map<string, Exclude<CopyOut, string>>();
  for (const { name, optional, cached } of program.copyOut) {
    const path = insidePath(name, workDir);
    if (path === null || name.includes('\0')) continue;
    const known = byPath.get(path);
    byPath.set(path, {
      path,
      optional: optional && known?.optional !== false ? 'any' : false,
      maxBytes: Math.min(program.copyOutMax, TAKEN_BYTES_MAX),
      truncate: program.truncate,
      as: cached || known?.as === 'fd' ? 'fd' : 'bytes',
    });
  }
  return [...byPath.values()];
}

/** What a program left; `null`: it was tried and could not be started. A promise only where something goes to the store. */
export function gather(
  scope: RunScope,
  program: JobProgram,
  collectors: readonly Collector[],
  result: RunResult | null,
): Gathered | Promise<Gathered> {
  const gathered = nothingGathered();
  const storing: Promise<void>[] = [];
  for (const entry of program.copyOut) {
    const stored = takeFile(scope, program, entry, { gathered, result });
    if (stored !== undefined) storing.push(stored);
  }
  for (const collector of collectors) {
    const output = result === null ? null : outputOf(result, program, collector);
    const stored = takeCollected(scope, program, collector, { gathered, output });
    if (stored !== undefined) storing.push(stored);
  }
  if (program.cachedNames.size === 0) return gathered;
  return Promise.all(storing).then(() => {
    closeAll(result);
    return gathered;
  });
}

/** On a terminal everything comes from the one output. */
function outputOf(result: RunResult, { tty }: JobProgram, { fd }: Collector): Output | null {
  if (tty) return result.stdout;
  return result.outputs[fd] ?? null;
}

interface Taking {
  gathered: Gathered;
  result: RunResult | null;
}

function takeFile(
  scope: RunScope,
  program: JobProgram,
  entry: CopyOutEntry,
  { gathered, result }: Taking,
): Promise<void> | undefined {
  const { name, optional, cached, returned } = entry;
  const path = insidePath(name, scope.settings.workDir);
  const file = path === null ? undefined : result?.files[path];
  const error = result?.fileErrors.find((one) => one.path === path);
  if (error?.code === 'too-large') noteTooLarge(gathered, program, name, error);
  else if (file === undefined) {
    if (!optional) noteFileError(gathered, name, 'CopyOutOpen', openText(name, path, error));
    return undefined;
  }
  return file === undefined || !returned
    ? undefined
    : keep(scope, gathered, { name, cached, content: contentOf(file, program.copyOutMax) });
}

function noteTooLarge(gathered: Gathered, program: JobProgram, name: string, error: FileError): void {
  const { copyOutMax, truncate } = program;
  const size = truncate ? 'size' : `size (${error.sizeBytes})`;
  const message = `copyout: ${quoteGo(name)} ${size} exceeds limit (${copyOutMax})`;
  noteFileError(gathered, name, 'CopyOutSizeExceeded', message);
}

/** The last step is never followed, so no link leads out. */
function openText(name: string, path: string | null, error: FileError | undefined): string {
  const isOdd = error?.code === 'not-regular' || (path === null ? name !== '' : isDevice(path));
  if (isOdd) return `${name} is not a regular file`;
  const found = error?.errno || ENOENT;
  const errno = name.includes('\0') ? EINVAL : found === EXDEV ? ENOENT : found;
  return `${errno === ENOENT ? 'open' : 'lstat'} ${name}: ${errnoText(errno)}`;
}

interface Collecting {
  gathered: Gathered;
  output: Output | null;
}

function takeCollected(
  scope: RunScope,
  program: JobProgram,
  { name, max }: Collector,
  { gathered, output }: Collecting,
): Promise<void> | undefined {
  const isOver = output !== null && (max < 0 || output.totalBytes > max);
  if (isOver) noteFileError(gathered, name, 'CollectSizeExceeded', 'Output Limit Exceeded');
  const content = output === null ? EMPTY : contentOf(output, Math.max(0, max + 1));
  return keep(scope, gathered, { name, cached: program.cachedNames.has(name), content });
}

/** Bytes, or a descriptor whose first bytes go to the store without passing through here. */
type Content = Uint8Array | { fd: number; maxBytes: number };

function contentOf({ bytes, fd }: OutputFile | Output, maxBytes: number): Content {
  return fd === null ? bytes : { fd, maxBytes };
}

interface Kept {
  name: string;
  cached: boolean;
  content: Content;
}

/** Puts content where it was asked for; a store that refuses is a file error. */
export function keep(
  { store }: RunScope,
  gathered: Gathered,
  { name, cached, content }: Kept,
): Promise<void> | undefined {
  if (!cached && content instanceof Uint8Array) return void gathered.files.set(name, content);
  if (!cached) return void gathered.files.set(name, readFileSync((content as { fd: number }).fd));
  return store.add(name, content).then(
    (id) => void gathered.fileIds.set(name, id),
    (error) => noteFileError(gathered, name, 'CopyOutCreateFile', plainText(error)),
  );
}

/** Descriptors of files that went to the store, or were to. */
function closeAll(result: RunResult | null): void {
  if (result === null) return;
  for (const { fd } of [...Object.values(result.files), ...Object.values(result.outputs)]) {
    if (fd !== null) closeSync(fd);
  }
}
