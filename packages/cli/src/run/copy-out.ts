/** Files of the work folder → files of the host, under the paths the user gave. */
import { writeFile } from 'node:fs/promises';
import { type CopyOut, type FileError, isSbxError, type RunResult, type Sandbox } from '@sbx/core';
import { EXIT } from '../exit-codes.js';
import { UsageError } from '../usage-error.js';
import type { RunOutcome } from './types.js';

export interface SavedFile {
  name: string;
  path: string;
  bytes: number;
}

/** Reads the wanted files of a session after its program; a one-shot run does so itself. */
export async function takeFiles(
  sandbox: Sandbox,
  result: RunResult,
  wanted: readonly CopyOut[],
): Promise<Pick<RunOutcome, 'files' | 'fileErrors'>> {
  const files: RunOutcome['files'] = Object.assign(Object.create(null), result.files);
  const fileErrors: FileError[] = [...result.fileErrors];
  for (const entry of wanted) {
    const path = typeof entry === 'string' ? entry : entry.path;
    try {
      const { mode } = await sandbox.stat(path);
      files[path] = { bytes: await sandbox.readFile(path), mode };
    } catch (error) {
      if (!isSbxError(error)) throw error;
      fileErrors.push({ path, code: FILE_ERROR_BY_CODE[error.code] ?? 'io', message: error.message });
    }
  }
  return { files, fileErrors };
}

const FILE_ERROR_BY_CODE: Readonly<Record<string, FileError['code']>> = {
  SBX_FILE_NOT_FOUND: 'not-found',
  SBX_FILE_NOT_FOLDER: 'not-found',
  SBX_FILE_IS_FOLDER: 'not-regular',
  SBX_FILE_NOT_REGULAR: 'not-regular',
  SBX_FILE_TOO_LARGE: 'too-large',
  SBX_FILE_OUTSIDE: 'outside',
  SBX_FILE_DENIED: 'denied',
};

/** Writes what was taken to where the user wanted it. */
export async function saveFiles(
  files: RunOutcome['files'],
  paths: Readonly<Record<string, string>>,
): Promise<SavedFile[]> {
  const saved: SavedFile[] = [];
  for (const [name, { bytes, mode }] of Object.entries(files)) {
    const path = paths[name];
    if (path === undefined) continue;
    // No set-id bits of a hostile program on the host.
    await writeFile(path, bytes, { mode: mode & 0o777 }).catch((error: Error) => {
      throw new UsageError(`--copy-out: cannot write ${path}: ${error.message}`, null, EXIT.ioError);
    });
    saved.push({ name, path, bytes: bytes.length });
  }
  return saved;
}
