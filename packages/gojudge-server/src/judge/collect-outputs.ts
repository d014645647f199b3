/** After the end: collectors' contents and the files that were asked for, as bytes or into the store. */
import { fstatSync, readSync } from 'node:fs';
import type { CopyOut, FileError, Output, OutputFile, RunResult } from '@sbx/core';
import { ENOENT, ENOTDIR, EXDEV, errnoText } from '../errno.js';
import { plainText } from '../errors.js';
import { allocatedBytes } from '../store/sparse.js';
import { quoteGo } from '../wire/go-text.js';
import { closeDescriptors } from './descriptors.js';
import type { CopyOutEntry, JobProgram } from './job.js';
import { type CollectedFiles, noteFileError, nothingCollected } from './program-result.js';
import type { Budget, RunScope } from './scope.js';
import type { Collector } from './stdio.js';
import { insidePath, isDevice, namesFolder, unnameable } from './stdio.js';

/** One file, as the engine takes it. */
const TAKEN_BYTES_MAX = 2 ** 31;
/**
 * A file that is copied out costs this at least: its entry in the answer or in the store. Of outputs there
 * are few.
 */
const FILE_BYTES_MIN = 4096;
const EMPTY = new Uint8Array(0);
/** A file whose name has a slash at its end. */
const NO_FOLDER: FileFailure = { code: 'io', errno: ENOTDIR };

type FileFailure = Pick<FileError, 'code' | 'errno' | 'sizeBytes'>;

/** One entry per place, however often and in whatever spelling it is named. */
export function makeCopyOut(program: JobProgram, workDir: string): CopyOut[] {
  const byPath = new Map<string, Exclude<CopyOut, string>>();
  for (const { name, optional, cached } of program.copyOut) {
    const path = insidePath(name, workDir);
    if (path === null || unnameable(name) !== 0) continue;
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

/**
 * What a program left; `null`: it was tried and could not be started. A promise only where something goes to
 * the store.
 */
export function collectOutputs(
  scope: RunScope,
  program: JobProgram,
  collectors: readonly Collector[],
  result: RunResult | null,
): CollectedFiles | Promise<CollectedFiles> {
  const taking: Taking = { collected: nothingCollected(), storing: [], result, errors: errorsOf(result) };
  if (program.cachedNames.size > 0) return gatherHeld(scope, program, collectors, taking);
  takeAll(scope, program, collectors, taking);
  return taking.collected;
}

/** The result's descriptors end here, however this goes, and not before the store has done with them. */
async function gatherHeld(
  scope: RunScope,
  program: JobProgram,
  collectors: readonly Collector[],
  taking: Taking,
): Promise<CollectedFiles> {
  try {
    takeAll(scope, program, collectors, taking);
    await Promise.all(taking.storing);
    return taking.collected;
  } finally {
    await Promise.allSettled(taking.storing);
    closeDescriptors(taking.result);
  }
}

interface Taking {
  collected: CollectedFiles;
  storing: Promise<void>[];
  result: RunResult | null;
  errors: ReadonlyMap<string, FileError> | null;
}

/** By path, the first of each. A program may name some 65,000 files that are not there. */
function errorsOf(result: RunResult | null): ReadonlyMap<string, FileError> | null {
  if (result === null || result.fileErrors.length === 0) return null;
  return new Map(result.fileErrors.map((error) => [error.path, error] as const).reverse());
}

/**
 * Outputs are counted first, since they are told in any case; errors come in go-judge's order, which is the
 * other.
 */
function takeAll(
  scope: RunScope,
  program: JobProgram,
  collectors: readonly Collector[],
  { collected, storing, result, errors }: Taking,
): void {
  const outputs = collectors.map((collector) => collectedOf(scope, program, collector, result));
  for (const entry of program.copyOut) {
    const stored = takeFile(scope, program, entry, { collected, result, errors });
    if (stored !== undefined) storing.push(stored);
  }
  for (const output of outputs) {
    const stored = takeCollected(scope, collected, output);
    if (stored !== undefined) storing.push(stored);
  }
}

/** On a terminal everything comes from the one output. */
function outputOf(result: RunResult, { tty }: JobProgram, { fd }: Collector): Output | null {
  if (tty) return result.stdout;
  return result.outputs[fd] ?? null;
}

function takeFile(
  scope: RunScope,
  program: JobProgram,
  entry: CopyOutEntry,
  { collected, result, errors }: Omit<Taking, 'storing'>,
): Promise<void> | undefined {
  const { name, optional, cached, returned } = entry;
  const path = insidePath(name, scope.settings.workDir);
  const found = path === null ? undefined : result?.files[path];
  const failed = path === null ? undefined : errors?.get(path);
  const isFile = found !== undefined || failed?.code === 'too-large';
  const isNoFolder = isFile && namesFolder(name);
  const file = isNoFolder ? undefined : found;
  const error = isNoFolder ? NO_FOLDER : failed;
  if (error?.code === 'too-large')
    noteTooLarge(scope, collected, program, { name, sizeBytes: error.sizeBytes });
  else if (file === undefined) {
    if (!optional) noteFileError(collected, name, 'CopyOutOpen', openText(name, path, error));
    return undefined;
  }
  return file === undefined || !returned
    ? undefined
    : keepFile(scope, collected, { name, cached, content: contentOf(file, program.copyOutMax) });
}

/** Larger than its own bound, or than what is left for all. */
function noteTooLarge(
  { budget }: RunScope,
  collected: CollectedFiles,
  { copyOutMax, truncate }: JobProgram,
  { name, sizeBytes = 0 }: { name: string; sizeBytes: number | undefined },
): void {
  const what = `copyout: ${quoteGo(name)}`;
  const size = truncate ? 'size' : `size (${sizeBytes})`;
  const message =
    sizeBytes > copyOutMax
      ? `${what} ${size} exceeds limit (${copyOutMax})`
      : budgetText(what, sizeBytes, budget.totalBytes);
  noteFileError(collected, name, 'CopyOutSizeExceeded', message);
}

/** The last step is never followed, so no link leads out. */
function openText(name: string, path: string | null, error: FileFailure | undefined): string {
  const isOdd = error?.code === 'not-regular' || (path === null ? name !== '' : isDevice(path));
  if (isOdd) return `${name} is not a regular file`;
  const found = unnameable(name) || error?.errno || ENOENT;
  const errno = found === EXDEV ? ENOENT : found;
  return `${errno === ENOENT ? 'open' : 'lstat'} ${name}: ${errnoText(errno)}`;
}

interface CollectedOutput extends Kept {
  max: number;
  output: Output | null;
}

function collectedOf(
  scope: RunScope,
  program: JobProgram,
  collector: Collector,
  result: RunResult | null,
): CollectedOutput {
  const { name, max } = collector;
  const output = result === null ? null : outputOf(result, program, collector);
  const content = output === null ? EMPTY : contentOf(output, keptOf(output, max));
  const cached = program.cachedNames.has(name);
  return { name, max, output, content, cached, isCharged: charge(scope.budget, costOf(content, cached)) };
}

function takeCollected(
  scope: RunScope,
  collected: CollectedFiles,
  { max, output, ...kept }: CollectedOutput,
): Promise<void> | undefined {
  const isOver = max < 0 || (output !== null && output.totalBytes > max);
  if (isOver) noteFileError(collected, kept.name, 'CollectSizeExceeded', 'Output Limit Exceeded');
  else if (output?.truncated) {
    const message = budgetText(quoteGo(kept.name), output.totalBytes, scope.budget.totalBytes);
    noteFileError(collected, kept.name, 'CollectSizeExceeded', message);
  }
  return keep(scope, collected, kept);
}

/** One more than asked for where there are more, and never more than the engine kept. */
function keptOf({ totalBytes, droppedBytes }: Output, max: number): number {
  return Math.max(0, Math.min(max + 1, totalBytes - droppedBytes));
}

/** Bytes, or a descriptor whose first bytes go to the store without passing through here. */
type Content = Uint8Array | { fd: number; maxBytes: number };

function contentOf({ bytes, fd }: OutputFile | Output, maxBytes: number): Content {
  return fd === null ? bytes : { fd, maxBytes };
}

interface File {
  name: string;
  cached: boolean;
  content: Content;
}

/** What has been counted already. */
interface Kept extends File {
  isCharged: boolean;
}

type KeepScope = Pick<RunScope, 'store' | 'budget'>;

/** As `keep`, of what has not been counted. */
export function keepFile(scope: KeepScope, collected: CollectedFiles, file: File): Promise<void> | undefined {
  const cost = Math.max(costOf(file.content, file.cached), FILE_BYTES_MIN);
  return keep(scope, collected, { isCharged: charge(scope.budget, cost), ...file });
}

/**
 * Puts content where it was asked for; a store that refuses is a file error, and so is a request that takes
 * out too much.
 */
function keep(
  { store, budget }: KeepScope,
  collected: CollectedFiles,
  { name, cached, content, isCharged }: Kept,
): Promise<void> | undefined {
  if (!isCharged) {
    const message = budgetText(`copyout: ${quoteGo(name)}`, sizeOf(content), budget.totalBytes);
    return void noteFileError(collected, name, 'CopyOutSizeExceeded', message);
  }
  if (!cached) return void collected.files.set(name, bytesOf(content));
  return store.add(name, content).then(
    (id) => void collected.fileIds.set(name, id),
    (error) => noteFileError(collected, name, 'CopyOutCreateFile', plainText(error)),
  );
}

/** False, and nothing charged, when it does not fit. */
function charge(budget: Budget, bytes: number): boolean {
  if (bytes > budget.leftBytes) return false;
  budget.leftBytes -= bytes;
  return true;
}

/** Names the flag, since only the operator can do something about it. */
function budgetText(what: string, sizeBytes: number, totalBytes: number): string {
  return `${what} size (${sizeBytes}) exceeds what is left of all a request may copy out (${totalBytes}, -copy-out-total)`;
}

function sizeOf(content: Content): number {
  if (content instanceof Uint8Array) return content.byteLength;
  return Math.min(fstatSync(content.fd).size, content.maxBytes);
}

/** Holes stay holes in the store. */
function costOf(content: Content, cached: boolean): number {
  if (content instanceof Uint8Array) return content.byteLength;
  const bytes = sizeOf(content);
  return cached ? Math.min(bytes, allocatedBytes(fstatSync(content.fd))) : bytes;
}

function bytesOf(content: Content): Uint8Array {
  if (content instanceof Uint8Array) return content;
  const bytes = Buffer.allocUnsafe(sizeOf(content));
  let at = 0;
  for (let read = 1; read > 0 && at < bytes.length; at += read) {
    read = readSync(content.fd, bytes, at, bytes.length - at, at);
  }
  return bytes.subarray(0, at);
}
