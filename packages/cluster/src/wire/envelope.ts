/**
 * A message of the cluster: a header as JSON, and bytes that the header points into, so that contents need no
 * base64.
 *
 *   1 byte   version
 *   4 bytes  length of the header, big endian
 *   header   UTF-8 JSON
 *   rest     bytes
 */

import { SbxError } from '@sbx/core';

const VERSION = 1;
const PREFIX_BYTES = 5;
/** Of the header alone: names, limits, arguments, environment. */
export const HEADER_BYTES_MAX = 4 * 2 ** 20;

/** A message that cannot be read: from another version, cut, or made up. Callers of an engine may get it. */
export class BrokenMessageError extends SbxError {
  constructor(message: string) {
    super({ code: 'SBX_INTERNAL', message });
  }
}

export interface Envelope {
  header: unknown;
  bytes: Uint8Array;
}

export function encodeEnvelope(header: unknown, chunks: readonly Uint8Array[] = []): Uint8Array {
  const text = Buffer.from(JSON.stringify(header));
  const prefix = Buffer.allocUnsafe(PREFIX_BYTES);
  prefix[0] = VERSION;
  prefix.writeUInt32BE(text.length, 1);
  return Buffer.concat([prefix, text, ...chunks]);
}

/** The header is anything that JSON can say: a schema comes next. Throws `BrokenMessageError`. */
export function decodeEnvelope(message: Uint8Array): Envelope {
  const data = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
  if (data.length < PREFIX_BYTES) throw new BrokenMessageError('the message is cut');
  if (data[0] !== VERSION) throw new BrokenMessageError(`the message has version ${data[0]}, not ${VERSION}`);
  const length = data.readUInt32BE(1);
  if (length > HEADER_BYTES_MAX || length > data.length - PREFIX_BYTES) {
    throw new BrokenMessageError('the header of the message is too long');
  }
  const end = PREFIX_BYTES + length;
  try {
    return { header: JSON.parse(data.toString('utf8', PREFIX_BYTES, end)), bytes: data.subarray(end) };
  } catch {
    throw new BrokenMessageError('the header of the message is not JSON');
  }
}
