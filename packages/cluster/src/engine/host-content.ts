/**
 * Contents that a caller names by what is on this machine: read here, since a worker has another machine's
 * files.
 */
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { type Content, FileAccessError, InvalidOptionsError } from '@sbx/core';
import { BLOB_BYTES_MAX } from '../wire/blob.js';

/** A file of the host is opened without waiting for a writer, should it be a pipe. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

export async function bytesOf(content: Content, field: string): Promise<Uint8Array> {
  if ('text' in content) return bounded(Buffer.from(content.text), field);
  if ('bytes' in content) return bounded(content.bytes, field);
  const hostPath = 'hostFile' in content ? content.hostFile : `/proc/self/fd/${content.fd}`;
  try {
    return await readRegular(hostPath, field);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || error instanceof InvalidOptionsError) throw error;
    throw new FileAccessError({ operation: 'read', path: field, hostPath, errno: code, cause: error });
  }
}

async function readRegular(path: string, field: string): Promise<Uint8Array> {
  const handle: FileHandle = await open(path, FLAGS);
  try {
    const status = await handle.stat();
    if (!status.isFile()) throw refused(field, 'must be a regular file to be sent to a worker');
    if (status.size > BLOB_BYTES_MAX) throw tooLarge(field, status.size);
    return bounded(await handle.readFile(), field);
  } finally {
    await handle.close();
  }
}

function bounded(bytes: Uint8Array, field: string): Uint8Array {
  if (bytes.byteLength > BLOB_BYTES_MAX) throw tooLarge(field, bytes.byteLength);
  return bytes;
}

function tooLarge(field: string, size: number): InvalidOptionsError {
  const expected = `must be at most ${BLOB_BYTES_MAX} bytes to be sent to a worker`;
  return new InvalidOptionsError({ field, rule: 'size', expected, got: `${size} bytes` });
}

function refused(field: string, expected: string): InvalidOptionsError {
  return new InvalidOptionsError({ field, rule: 'not-here', expected });
}
