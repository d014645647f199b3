/** Contents of a regular file of the sandbox, a chunk at a time. The descriptor stays the caller's. */
import { fstatSync, read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import { unlessAborted } from '@sbx/shared';
import { FileAccessError, isSbxError } from '../errors.js';
import { throwProblem, wrongSecret } from '../options/problem.js';
import { ChunkSource } from '../streams/chunk-source.js';
import { writeBeside } from './beside-programs.js';
import type { WorkFolder } from './trees.js';

const read = promisify(readCallback);

const CHUNK_BYTES = 64 * 1024;

/** Refuses what would give or take bytes without end, or of somebody who waits at the other side. */
export function refuseUnlessRegular(file: number, operation: string, path: string): void {
  const status = fstatSync(file);
  if (status.isFile()) return;
  const why = status.isDirectory()
    ? ({ errno: 'EISDIR' } as const)
    : ({ code: 'SBX_FILE_NOT_REGULAR' } as const);
  throw new FileAccessError({ operation, path, ...why });
}

export async function* readChunks(file: number, path: string): AsyncGenerator<Uint8Array, void, undefined> {
  for (;;) {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const reading = read(file, buffer, 0, CHUNK_BYTES, null);
    const { bytesRead } = await reading.catch((error) => fail('readFile', path, error));
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/** What chunks are written to: `operation` for errors. */
export interface ChunkTarget {
  file: number;
  operation: string;
  path: string;
}

/**
 * An error thrown by the source itself is the caller's own, and passes as it is. When the sandbox closes,
 * a source that gives nothing is waited for no longer.
 */
export async function writeChunks(
  folder: WorkFolder,
  { file, operation, path }: ChunkTarget,
  source: AsyncIterable<Uint8Array | string>,
): Promise<void> {
  const closing = folder.closing();
  const chunks = new ChunkSource(source);
  try {
    for (;;) {
      const { done, value } = await unlessAborted(chunks.next(), closing);
      if (done) return;
      const writing = writeBeside(folder, file, toBytes(value));
      await writing.catch((error) => fail(operation, path, error));
    }
  } finally {
    await chunks.close();
  }
}

function toBytes(chunk: unknown): Uint8Array {
  if (typeof chunk === 'string') return Buffer.from(chunk);
  if (chunk instanceof Uint8Array) return chunk;
  throwProblem('data', wrongSecret('a stream of text or bytes (each chunk a string or a Uint8Array)', chunk));
}

/** Throws it as the error of this library, unless it is one. */
export function fail(operation: string, path: string, error: NodeJS.ErrnoException): never {
  if (isSbxError(error)) throw error;
  throw new FileAccessError({ operation, path, errno: Math.abs(error.errno ?? 0) });
}
