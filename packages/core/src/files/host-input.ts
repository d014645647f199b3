/** Bytes that come from the host: a file by name, or an open descriptor. */
import {
  close as closeCallback,
  constants,
  fstat as fstatCallback,
  open as openCallback,
  read as readCallback,
} from 'node:fs';
import { promisify } from 'node:util';
import { FileAccessError, type FileErrorCode } from '../errors.js';
import { EISDIR } from '../native/errno.js';
import type { Native } from '../native/native.js';
import { immediateBytes } from '../options/content.js';
import type { Content } from '../types/files.js';
import { notRegular } from './refusals.js';

const open = promisify(openCallback);
const close = promisify(closeCallback);
const fstat = promisify(fstatCallback);
const read = promisify(readCallback);

/** Largest content taken from the host in one piece. */
const CONTENT_BYTES_MAX = 2 ** 31 - 1;
const CHUNK_BYTES = 64 * 1024;
/** Where a file of the host is asked for. */
const FOLDER =
  'it is a folder. One goes in as a tar archive (`workspace` of Sandbox.create), or is shown by a row of `mounts` (Engine.open).';

/**
 * All bytes of a content. Throws `FileAccessError` for a host file that cannot be read or is not a regular
 * file.
 */
export async function contentBytes(content: Content): Promise<Uint8Array> {
  return immediateBytes(content) ?? withHostFile(content, nameOf(content), readAll);
}

/**
 * Does something with the regular file of the host that a content names. `path` is where it goes inside, for
 * errors. What we opened is closed after.
 */
export async function withHostFile<T>(
  content: Content,
  path: string,
  work: (fd: number, sizeBytes: number, refuse: (why: Refusal) => never) => Promise<T>,
): Promise<T> {
  const { hostFile, fd } = content as { hostFile?: string; fd?: number };
  const refuse = (why: Refusal) => refuseRead(path, nameOf(content), why);
  const fail = (cause: NodeJS.ErrnoException) => refuse({ errno: cause.errno, cause });
  // Never blocks: a pipe opens at once and is refused by what it is.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;
  const opened = hostFile === undefined ? fd! : await open(hostFile, flags).catch(fail);
  try {
    const status = await fstat(opened).catch(fail);
    if (status.isDirectory()) refuse({ errno: EISDIR, reason: FOLDER });
    if (!status.isFile()) refuse({ code: 'SBX_FILE_NOT_REGULAR' });
    return await work(opened, status.size, refuse);
  } finally {
    if (hostFile !== undefined) await close(opened);
  }
}

/**
 * The file behind a content of the host, for a program to read: a descriptor of its own, at the start, that
 * cannot be opened for writing. At once for a descriptor whose file needs no copy, or a small one.
 */
export function readOnlyFile(native: Native, content: Content): number | Promise<number> {
  const name = nameOf(content);
  const { fd } = content as { fd?: number };
  const checked = (opened: number) =>
    opened >= 0 ? opened : refuseRead(name, name, { errno: -opened, ...notRegular(-opened) });
  if (fd === undefined)
    return withHostFile(content, name, async (file) => checked(await native.readOnlyFile(file)));
  const opened = native.readOnlyFile(fd);
  return typeof opened === 'number' ? checked(opened) : opened.then(checked);
}

interface Refusal {
  errno?: number;
  code?: FileErrorCode;
  reason?: string;
  cause?: unknown;
}

function refuseRead(path: string, hostPath: string, why: Refusal): never {
  throw new FileAccessError({ operation: 'read', path, hostPath, ...why });
}

/** How a content of the host is called in errors. */
function nameOf(content: Content): string {
  const { hostFile, fd } = content as { hostFile?: string; fd?: number };
  return hostFile ?? `descriptor ${fd}`;
}

async function readAll(fd: number, size: number, refuse: (why: Refusal) => never): Promise<Uint8Array> {
  if (size > CONTENT_BYTES_MAX) refuse({ code: 'SBX_FILE_TOO_LARGE' });
  if (size === 0) return readToEnd(fd, refuse);
  const bytes = Buffer.allocUnsafe(size);
  let at = 0;
  while (at < bytes.byteLength) {
    const { bytesRead } = await read(fd, bytes, at, bytes.byteLength - at, at);
    if (bytesRead === 0) break;
    at += bytesRead;
  }
  return bytes.subarray(0, at);
}

/** From its start, wherever its offset stands. */
export async function* hostChunks(
  fd: number,
  refuse: (why: Refusal) => never,
): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const reading = read(fd, chunk, 0, CHUNK_BYTES, at);
    const { bytesRead } = await reading.catch((cause) => refuse({ errno: cause.errno, cause }));
    if (bytesRead === 0) return;
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

/** Files of /proc and /sys have no size, but contents. */
async function readToEnd(fd: number, refuse: (why: Refusal) => never): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await read(fd, chunk, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return Buffer.concat(chunks);
    at += bytesRead;
    if (at > CONTENT_BYTES_MAX) refuse({ code: 'SBX_FILE_TOO_LARGE' });
    chunks.push(chunk.subarray(0, bytesRead));
  }
}
