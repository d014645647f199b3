/**
 * A tar archive that may be hostile into the work folder of a new sandbox. Every name is resolved beneath the
 * folder's descriptor and through no link, so that nothing in an archive can lead elsewhere; kinds that are
 * not files, folders or links are refused; what an archive can make the host hold or do is bounded.
 */
import { read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import { unlessAborted } from '@sbx/shared';
import { InvalidOptionsError, SbxError } from '../errors.js';
import { immediateBytes } from '../options/content.js';
import { ChunkSource } from '../streams/chunk-source.js';
import type { WorkspaceSource } from '../types/files.js';
import { ArchiveWriter } from './archive-writer.js';
import { ByteReader } from './byte-reader.js';
import { withHostFile } from './host-input.js';
import { refuseWorkspace } from './refusals.js';
import { TarReader } from './tar-reader.js';
import type { WorkFolder } from './trees.js';

const read = promisify(readCallback);

const CHUNK_BYTES = 64 * 1024;
/** Entries of one archive, those that name the same file included. */
const ENTRY_COUNT_MAX = 2 ** 20;

/**
 * Throws `InvalidOptionsError` for what no archive may have, `FileAccessError` for what does not fit, or
 * `signal.reason`.
 */
export async function unpackTree(
  folder: WorkFolder,
  source: WorkspaceSource,
  signal?: AbortSignal,
): Promise<void> {
  if (source instanceof Uint8Array) return unpack(folder, whole(source), signal);
  if (Symbol.asyncIterator in source) return unpack(folder, source, signal);
  const bytes = immediateBytes(source);
  if (bytes !== null) return unpack(folder, whole(bytes), signal);
  return withHostFile(source, 'workspace', (fd) => unpack(folder, chunksOf(fd), signal));
}

type Chunks = AsyncIterable<Uint8Array>;

async function* whole(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}

async function* chunksOf(fd: number): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; ; ) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await read(fd, chunk, 0, CHUNK_BYTES, at);
    if (bytesRead === 0) return;
    at += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

async function unpack(folder: WorkFolder, chunks: Chunks, signal: AbortSignal | undefined): Promise<void> {
  const source = new ChunkSource(chunks);
  const check = () => {
    signal?.throwIfAborted();
    folder.checkOpen();
  };
  const next = chunkReader(source, signal);
  try {
    check();
    await writeEntries(folder, new TarReader(new ByteReader({ next, check })));
    check();
  } finally {
    // Nothing more is taken from the source, which is told. It may never answer.
    void source.close().catch(() => undefined);
  }
}

async function writeEntries(folder: WorkFolder, archive: TarReader): Promise<void> {
  const writer = new ArchiveWriter(folder);
  let count = 0;
  for (let entry = await archive.next(); entry !== null; entry = await archive.next()) {
    folder.checkOpen();
    if (++count > ENTRY_COUNT_MAX) throw refuseWorkspace(`must have at most ${ENTRY_COUNT_MAX} entries`);
    if (entry.type === 'file') await writer.file(entry, archive.content());
    else writer.other(entry);
  }
  folder.checkOpen();
  await writer.finish();
}

/** Whoever waits for a chunk waits no longer when `signal` aborts. */
function chunkReader(
  source: ChunkSource<Uint8Array>,
  signal: AbortSignal | undefined,
): () => Promise<Buffer | null> {
  let isFirst = true;
  return async () => {
    const taking = nextOf(source);
    const { done, value } = await (signal === undefined ? taking : unlessAborted(taking, signal));
    if (done) return null;
    if (isFirst) refuseCompressed(value);
    isFirst = false;
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength);
  };
}

async function nextOf(source: ChunkSource<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    const next = await source.next();
    if (next.done || next.value instanceof Uint8Array) return next;
    throw new TypeError(`It gave a ${typeof next.value} instead of bytes.`);
  } catch (cause) {
    const message = 'The source of options.workspace failed, or gave something other than bytes.';
    throw new SbxError({ code: 'SBX_STREAM_SOURCE', message, cause });
  }
}

function refuseCompressed(chunk: Uint8Array): void {
  const isGzip = chunk[0] === 0x1f && chunk[1] === 0x8b;
  if (!isGzip) return;
  throw new InvalidOptionsError({
    field: 'options.workspace',
    rule: 'format',
    expected: 'must be a tar archive that is not compressed',
    hint: 'Pipe it through node:zlib’s createGunzip().',
  });
}
