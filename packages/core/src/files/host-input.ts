/** Bytes that come from the host: a file by name, or an open descriptor. */
import { constants, fstat as fstatCallback, read as readCallback } from 'node:fs';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { FileAccessError } from '../errors.js';
import type { Content } from '../types.js';

const fstat = promisify(fstatCallback);
const read = promisify(readCallback);

/** Largest content taken from the host in one piece. */
const CONTENT_BYTES_MAX = 2 ** 31 - 1;

/** Contents that need no waiting; `null` for those of the host. */
export function immediateBytes(content: Content | string | Uint8Array): Uint8Array | null {
  if (typeof content === 'string') return Buffer.from(content);
  if (content instanceof Uint8Array) return content;
  if ('text' in content) return Buffer.from(content.text);
  return 'bytes' in content ? content.bytes : null;
}

/** All bytes of a content. Throws `FileAccessError` for a host file that cannot be read or is not a regular file. */
export async function contentBytes(content: Content | string | Uint8Array): Promise<Uint8Array> {
  const immediate = immediateBytes(content);
  if (immediate !== null) return immediate;
  if (typeof content === 'object' && 'fd' in content) return readAll(content.fd, `descriptor ${content.fd}`);
  const path = (content as { hostFile: string }).hostFile;
  // Never blocks: a pipe opens at once and is refused by what it is.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY).catch(
    (cause) => {
      throw new FileAccessError({ operation: 'copy-in', path, errno: Math.abs(cause.errno ?? 0), cause });
    },
  );
  try {
    return await readAll(handle.fd, path);
  } finally {
    await handle.close();
  }
}

async function readAll(fd: number, path: string): Promise<Uint8Array> {
  const status = await fstat(fd).catch((cause) => {
    throw new FileAccessError({ operation: 'copy-in', path, errno: Math.abs(cause.errno ?? 0), cause });
  });
  if (!status.isFile())
    throw new FileAccessError({ operation: 'copy-in', path, code: 'SBX_FILE_NOT_REGULAR' });
  if (status.size > CONTENT_BYTES_MAX)
    throw new FileAccessError({ operation: 'copy-in', path, code: 'SBX_FILE_TOO_LARGE' });
  const bytes = Buffer.allocUnsafe(status.size);
  let at = 0;
  while (at < bytes.byteLength) {
    const { bytesRead } = await read(fd, bytes, at, bytes.byteLength - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}
