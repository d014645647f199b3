/** Files and links put into a fresh sandbox. Each failure is a file error; with any, the program is not started. */
import { createReadStream } from 'node:fs';
import { posix } from 'node:path';
import type { Sandbox } from '@sbx/core';
import type { FileErrorType } from '@sbx/gojudge-client/wire';
import { errnoOf, errnoText } from '../errors.js';
import type { JobProgram, Source } from './job.js';
import { type Gathered, noteFileError, nothingGathered, notStarted, type Outcome } from './outcome.js';
import type { RunScope } from './scope.js';
import { type OpenSource, openSource } from './sources.js';
import { workPath } from './work-path.js';

/** Every copied file is executable, as go-judge's umask of 0 makes it. */
const FILE_MODE = 0o777;
/** Below, one read and one write; above, in pieces. */
const PIECEWISE_BYTES = 1024 * 1024;
const ENOSPC = 28;

/** `null` when all went in, else the outcome. */
export async function copyIn(
  scope: RunScope,
  sandbox: Sandbox,
  program: JobProgram,
): Promise<Outcome | null> {
  if (program.copyIn.length === 0) return null;
  const failed = nothingGathered();
  for (const [path, source] of program.copyIn) {
    if (source.kind !== 'symlink') await copyFile(scope, sandbox, { path, source, failed });
  }
  let brokenLinks = 0;
  if (failed.failure === null) {
    for (const [path, source] of program.copyIn) {
      if (source.kind !== 'symlink') continue;
      if (!(await makeLink(scope, sandbox, { path, target: source.target, failed }))) brokenLinks += 1;
    }
  }
  if (failed.failure === null) return null;
  const error = brokenLinks > 0 ? `symlink: ${brokenLinks} operations failed` : failed.failure.error;
  return notStarted('File Error', error, failed);
}

interface FileTask {
  path: string;
  source: Source;
  failed: Gathered;
}

async function copyFile(
  scope: RunScope,
  sandbox: Sandbox,
  { path, source, failed }: FileTask,
): Promise<void> {
  const target = workPath(path, scope.settings);
  let opened: OpenSource | null = null;
  const own = source.kind === 'src';
  try {
    if (source.kind === 'src') opened = await openSource(source.path);
    else if (source.kind === 'stored') opened = scope.sources.of(source);
  } catch (error) {
    const from = (source as { path: string }).path;
    return noteFileError(failed, path, 'CopyInOpenFile', `open ${from}: ${errnoText(errnoOf(error))}`);
  }
  try {
    if (opened?.kind === 'folder') {
      return noteFileError(
        failed,
        path,
        'CopyInCopyContent',
        `write ${path}: copy_file_range: is a directory`,
      );
    }
    if (target === null) return noteCreateFailure(scope, failed, path, 30);
    if (opened === null)
      await sandbox.writeFile(target, (source as { text: string }).text, { mode: FILE_MODE });
    else await writeOpened(sandbox, target, opened);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 0) throw error;
    if (errno === ENOSPC) {
      return noteFileError(failed, path, 'CopyInCopyContent', `write ${path}: ${errnoText(errno)}`);
    }
    noteCreateFailure(scope, failed, path, errno);
  } finally {
    if (own) await opened?.handle.close();
  }
}

/** go-judge goes on without the file: literal behaviour is for those who ask for it. */
function noteCreateFailure({ settings }: RunScope, failed: Gathered, path: string, errno: number): void {
  const type: FileErrorType = 'CopyInCreateFile';
  if (!settings.strict) noteFileError(failed, path, type, `open ${path}: ${errnoText(errno)}`);
}

async function writeOpened(
  sandbox: Sandbox,
  target: string,
  { handle, kind, bytes }: OpenSource,
): Promise<void> {
  if (kind === 'regular' && bytes <= PIECEWISE_BYTES) {
    return sandbox.writeFile(target, { fd: handle.fd }, { mode: FILE_MODE });
  }
  const folder = posix.dirname(target);
  if (folder !== '.') await sandbox.mkdir(folder, { recursive: true, mode: FILE_MODE });
  const start = kind === 'regular' ? 0 : undefined;
  const source = createReadStream('', {
    fd: handle.fd,
    autoClose: false,
    start,
    highWaterMark: PIECEWISE_BYTES,
  });
  await sandbox.writeFile(target, source, { mode: FILE_MODE });
}

interface LinkTask {
  path: string;
  target: string;
  failed: Gathered;
}

async function makeLink(
  scope: RunScope,
  sandbox: Sandbox,
  { path, target, failed }: LinkTask,
): Promise<boolean> {
  try {
    const inside = workPath(path, scope.settings);
    if (inside === null) throw Object.assign(new Error(), { errno: -30 });
    await sandbox.symlink(target, inside);
    return true;
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 0) throw error;
    const message = `symlink: "${path}" -> "${target}": symlink ${target} ${path}: ${errnoText(errno)}`;
    noteFileError(failed, path, 'Symlink', message);
    return false;
  }
}
