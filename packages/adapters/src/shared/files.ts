/** What adapters do with files and core has no call for. */
import { isSbxError, type Sandbox } from '@sbx/core';

/** Bytes of one file that a framework gets in one piece. */
export const READ_BYTES_MAX = 64 * 2 ** 20;

const MISSING: ReadonlySet<string> = new Set([
  'SBX_FILE_NOT_FOUND',
  'SBX_FILE_NOT_FOLDER',
  'SBX_FILE_OUTSIDE',
]);

/** `null` for what is not there, whatever is missing on the way. */
export async function unlessMissing<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isSbxError(error) && MISSING.has(error.code)) return null;
    throw error;
  }
}

/** Path of an entry of a folder. */
export function join(folder: string, name: string): string {
  return folder === '.' ? name : `${folder.replace(/\/+$/, '')}/${name}`;
}

/** A file in one piece, as a plain `Uint8Array`: some frameworks compare. */
export async function readBytes(sandbox: Sandbox, path: string): Promise<Uint8Array> {
  const { buffer, byteOffset, byteLength } = await sandbox.readFile(path, { maxBytes: READ_BYTES_MAX });
  return new Uint8Array(buffer, byteOffset, byteLength);
}
