/** copyIn to the engine's files, and its failures to file errors. With any, the program is not started. */
import type { FileAccessError, FileInput } from '@sbx/core';
import { ByteChunks } from '@sbx/serving';
import { onAbort } from '@sbx/shared';
import {
  EEXIST,
  EINVAL,
  EISDIR,
  ENAMETOOLONG,
  ENOENT,
  ENOSPC,
  EROFS,
  EXDEV,
  errnoOf,
  errnoText,
} from '../errno.js';
import type { LiveSource } from '../store/read-fd.js';
import { quoteGo } from '../wire/go-text.js';
import type { CopyInSource, JobProgram } from './job.js';
import {
  type CollectedFiles,
  noteFileError,
  nothingCollected,
  notStarted,
  type ProgramResult,
} from './program-result.js';
import type { RunScope } from './scope.js';
import type { OpenSource } from './sources.js';
import { insidePath, isDevice, namesFolder, PATH_BYTES_MAX, unnameable } from './stdio.js';

/** Every copied file is executable, as go-judge's umask of 0 makes it. */
const FILE_MODE = 0o777;

export interface CopyIn {
  files: Record<string, FileInput>;
  /** What kept it from being begun. */
  failed: CollectedFiles | null;
}

/** A promise only where something is read that is no regular file. Links come last, if all files could be. */
export function makeCopyIn(scope: RunScope, program: JobProgram): CopyIn | Promise<CopyIn> {
  const files: Record<string, FileInput> = Object.create(null);
  const failed = nothingCollected();
  const reading: Promise<void>[] = [];
  for (const [path, source] of program.copyIn) {
    if (source.kind === 'symlink') continue;
    const target = insidePath(path, scope.settings.workDir);
    const file = target === null ? noteCreate(failed, path, EISDIR) : inputOf(scope, failed, path, source);
    if (file === null) continue;
    if (file instanceof Promise)
      reading.push(file.then((read) => void Object.assign(files, { [target!]: read })));
    else files[target!] = file;
  }
  if (failed.fileErrors.length === 0) addLinks(scope, program, { files, failed });
  const done = { files, failed: failed.fileErrors.length > 0 ? failed : null };
  return reading.length === 0 ? done : Promise.all(reading).then(() => done);
}

function addLinks(
  { settings }: RunScope,
  { copyIn }: JobProgram,
  { files, failed }: Pick<CopyIn, 'files'> & { failed: CollectedFiles },
): void {
  for (const [path, source] of copyIn) {
    if (source.kind !== 'symlink') continue;
    const place = insidePath(path, settings.workDir);
    const errno = linkErrno(path, source.target, place) || (place! in files ? EEXIST : 0);
    if (errno === 0) files[place!] = { symlink: source.target };
    else noteLink(failed, path, source.target, errno);
  }
  countLinks(failed);
}

/** 0, or why the kernel would not make it by its texts alone. */
function linkErrno(path: string, target: string, place: string | null): number {
  if (target.includes('\0')) return EINVAL;
  if (target === '' || path === '') return ENOENT;
  if (Buffer.byteLength(target) > PATH_BYTES_MAX) return ENAMETOOLONG;
  if (place === null) return EEXIST;
  return unnameable(path) || (namesFolder(path) ? ENOENT : 0);
}

/** `null` when it is noted why not. */
function inputOf(
  scope: RunScope,
  failed: CollectedFiles,
  path: string,
  source: Exclude<CopyInSource, { kind: 'symlink' }>,
): FileInput | Promise<FileInput> | null {
  const errno = unnameable(path) || (namesFolder(path) ? EISDIR : 0);
  if (errno !== 0) return noteCreate(failed, path, errno);
  switch (source.kind) {
    case 'content':
      return { text: source.text, mode: FILE_MODE };
    case 'unreadable':
      return noteOpen(failed, path, 'file cannot open as reader: *envexec.FileCollector');
    default: {
      const opened = scope.sources!.find(source);
      if (typeof opened !== 'number') return hostFile(scope, failed, path, opened);
      return noteOpen(failed, path, `open ${(source as { path: string }).path}: ${errnoText(opened)}`);
    }
  }
}

function hostFile(
  scope: RunScope,
  failed: CollectedFiles,
  path: string,
  opened: OpenSource,
): FileInput | Promise<FileInput> | null {
  switch (opened.kind) {
    case 'regular':
      return { fd: opened.fd, mode: FILE_MODE };
    case 'null':
      return { text: '', mode: FILE_MODE };
    case 'folder':
      return noteFolder(failed, path);
    case 'live':
      return readLive(scope, opened.live);
  }
}

/** `null` when the error is none of copyIn's. */
export function copyInFailure(
  { settings }: RunScope,
  program: JobProgram,
  error: FileAccessError,
): ProgramResult | null {
  const entry = program.copyIn.find(([path]) => insidePath(path, settings.workDir) === error.path);
  if (entry === undefined) return null;
  const [path, source] = entry;
  const found = errnoOf(error);
  const isTaken = source.kind === 'symlink' && (found === EISDIR || isDevice(path));
  const errno = isTaken ? EEXIST : found === EXDEV ? EROFS : found;
  const failed = nothingCollected();
  if (source.kind === 'symlink') {
    noteLink(failed, path, source.target, errno);
    countLinks(failed);
    return notStarted('File Error', failed.failure!.error, failed);
  }
  if (error.operation === 'write' || errno === ENOSPC) {
    noteFileError(failed, path, 'CopyInCopyContent', `write ${path}: ${errnoText(errno)}`);
  } else if (error.operation === 'read') noteFolder(failed, path);
  else noteCreate(failed, path, errno);
  return notStarted('File Error', failed.failure!.error, failed);
}

/** Devices and pipes of the host, up to what the work folder could take, or until the request is over. */
async function readLive({ settings, signal }: RunScope, source: LiveSource): Promise<FileInput> {
  const chunks = new ByteChunks();
  const close = () => source.close();
  const release = onAbort(signal, close);
  if (signal.aborted) close(); // which is told to nobody any more
  try {
    for await (const chunk of source) {
      chunks.add(chunk);
      if (chunks.bytes > settings.diskBytes) break; // refused by the work folder, which is full
    }
    return { bytes: chunks.takeJoined(), mode: FILE_MODE };
  } finally {
    release();
  }
}

function noteLink(failed: CollectedFiles, path: string, target: string, errno: number): null {
  const message = `symlink: ${quoteGo(path)} -> ${quoteGo(target)}: symlink ${target} ${path}: ${errnoText(errno)}`;
  noteFileError(failed, path, 'Symlink', message);
  return null;
}

/** With links that failed, the whole program says only how many. */
function countLinks(failed: CollectedFiles): void {
  const count = failed.fileErrors.filter(({ type }) => type === 'Symlink').length;
  if (count > 0) failed.failure = { ...failed.failure!, error: `symlink: ${count} operations failed` };
}

function noteFolder(failed: CollectedFiles, path: string): null {
  noteFileError(failed, path, 'CopyInCopyContent', `write ${path}: copy_file_range: is a directory`);
  return null;
}

function noteOpen(failed: CollectedFiles, path: string, message: string): null {
  noteFileError(failed, path, 'CopyInOpenFile', message);
  return null;
}

function noteCreate(failed: CollectedFiles, path: string, errno: number): null {
  noteFileError(failed, path, 'CopyInCreateFile', `open ${path}: ${errnoText(errno)}`);
  return null;
}
