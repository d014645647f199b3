/** Bytes to text. */
import { constants } from 'node:buffer';
import { SbxError } from '../sbx-error.js';

/** Bytes that may come to more characters than a string can have. */
export const TEXT_BYTES_MAX = constants.MAX_STRING_LENGTH;

/** As UTF-8, invalid sequences replaced. Throws `SBX_STREAM_TEXT_TOO_LONG`. */
export function textOf(bytes: Uint8Array): string {
  try {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  } catch (cause) {
    throw textTooLong(bytes.byteLength, cause);
  }
}

export function textTooLong(bytes: number, cause?: unknown): SbxError {
  const message = `${bytes} bytes are too long for one string; use them as bytes.`;
  return new SbxError({ code: 'SBX_STREAM_TEXT_TOO_LONG', message, cause });
}
