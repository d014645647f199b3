/** Why a call on a file of a run was refused, as an answer. */
import { isSbxError } from '@sbx/core';

/** One of our own rules. */
export class FileRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const STATUS_BY_CODE = new Map([
  ['SBX_FILE_NOT_FOUND', 404],
  ['SBX_FILE_EXISTS', 409],
  ['SBX_FILE_IS_FOLDER', 409],
  ['SBX_FILE_NOT_FOLDER', 409],
  ['SBX_FILE_NOT_EMPTY', 409],
  ['SBX_FILE_NOT_REGULAR', 403],
  ['SBX_FILE_OUTSIDE', 403],
  ['SBX_FILE_DENIED', 403],
  ['SBX_FILE_TOO_LARGE', 413],
  ['SBX_FILE_NO_SPACE', 507],
  ['SBX_INVALID_OPTIONS', 400],
  ['SBX_CLOSED', 404],
]);

export function refusalOf(error: unknown): { status: number; message: string } {
  if (error instanceof FileRefusal) return error;
  if (!isSbxError(error)) return { status: 500, message: 'the file could not be moved' };
  return { status: STATUS_BY_CODE.get(error.code) ?? 500, message: error.message };
}
