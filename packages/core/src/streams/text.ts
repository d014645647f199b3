/** Bytes to text. */
import { constants } from 'node:buffer';
import { SbxError } from '../sbx-error.js';

/** Throws `SBX_STREAM_TEXT_TOO_LONG` for bytes that may come to more characters than a string can have. */
export function checkTextLength(byteLength: number): void {
  if (byteLength > constants.MAX_STRING_LENGTH) throw textTooLong(byteLength);
}

/** As UTF-8, invalid sequences replaced. Throws `SBX_STREAM_TEXT_TOO_LONG`. */
export function textOf(bytes: Uint8Array): string {
  try {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  } catch (cause) {
    throw textTooLong(bytes.byteLength, cause);
  }
}

/** As `textOf`, of all of them together. */
export function textOfAll(chunks: readonly Uint8Array[]): string {
  return textOf(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
}

function textTooLong(bytes: number, cause?: unknown): SbxError {
  const message = `${bytes} bytes are too long for one string; use them as bytes.`;
  return new SbxError({ code: 'SBX_STREAM_TEXT_TOO_LONG', message, cause });
}
