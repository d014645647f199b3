/**
 * A tar archive that may be hostile into the work folder of a new sandbox. Every name is resolved beneath the
 * folder's descriptor and through no link, so that nothing in an archive can lead elsewhere; kinds that are
 * not files, folders or links are refused; what an archive can make the host hold or do is bounded.
 */
import { read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import type { ParsedTarEntry } from 'modern-tar';
import { InvalidOptionsError, isSbxError, SbxError } from '../errors.js';
import { immediateBytes } from '../options/content.js';
import { ChunkSource } from '../streams/chunk-source.js';
import type { WorkspaceSource } from '../types/files.js';
import { ArchiveWriter } from './archive-writer.js';
import { withHostFile } from './host-input.js';
import type { WorkFolder } from './trees.js';

const read = promisify(readCallback);

const CHUNK_BYTES = 64 * 1024;
/** Between two entries: what the parser holds of names and attributes, and takes ahead. */
const AHEAD_BYTES_MAX = 4 * 2 ** 20;
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
  const { createTarDecoder } = await import('modern-tar');
  signal?.throwIfAborted(); // also if it came meanwhile: an event that has been is not told again
  const { readable, writable } = createTarDecoder({ strict: true });
  const feed = new Feed(writable.getWriter());
  const stop = () => feed.abort(signal!.reason);
  signal?.addEventListener('abort', stop, { once: true });
  feed.run(chunks).catch((error) => feed.abort(error));
  try {
    await writeEntries(folder, readable, feed);
  } catch (error) {
    if (signal?.aborted || isSbxError(error)) throw error;
    throw refusal(`must be a whole tar archive (${(error as Error).message})`);
  } finally {
    signal?.removeEventListener('abort', stop);
    feed.close();
  }
}

async function writeEntries(
  folder: WorkFolder,
  entries: ReadableStream<ParsedTarEntry>,
  feed: Feed,
): Promise<void> {
  const writer = new ArchiveWriter(folder);
  let count = 0;
  for await (const { header, body } of entries) {
    folder.checkOpen();
    if (++count > ENTRY_COUNT_MAX) throw refusal(`must have at most ${ENTRY_COUNT_MAX} entries`);
    feed.allow(header.size);
    if (header.type === 'file') await writer.file(header, body);
    else writer.other(header);
  }
  folder.checkOpen();
  writer.finish();
}

function refusal(expected: string, got?: string): InvalidOptionsError {
  return new InvalidOptionsError({
    field: 'options.workspace',
    rule: 'format',
    expected,
    ...(got && { got }),
  });
}

/** Bytes of the source to the parser, no more than entries account for. */
class Feed {
  readonly #parser: WritableStreamDefaultWriter<Uint8Array>;
  #fed = 0;
  #allowed = AHEAD_BYTES_MAX;
  #source: ChunkSource<Uint8Array> | null = null;

  constructor(parser: WritableStreamDefaultWriter<Uint8Array>) {
    this.#parser = parser;
  }

  /** An entry with so many bytes of content has begun. */
  allow(contentBytes: number): void {
    this.#allowed = this.#fed + contentBytes + AHEAD_BYTES_MAX;
  }

  async run(chunks: Chunks): Promise<void> {
    const source = new ChunkSource(chunks);
    this.#source = source;
    for (;;) {
      const next = await this.#next(source);
      if (next.done) break;
      for (let at = 0; at < next.value.byteLength; at += CHUNK_BYTES)
        await this.#write(next.value.subarray(at, at + CHUNK_BYTES));
    }
    await this.#parser.close();
  }

  /** Entries that have not been read come no more; who waits for one gets the reason. */
  abort(reason: unknown): void {
    void this.#parser.abort(reason).catch(() => undefined);
  }

  /** Nothing more is taken from the source, which is told. It may never answer. */
  close(): void {
    this.abort(undefined);
    void this.#source?.close().catch(() => undefined);
  }

  async #next(source: ChunkSource<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    try {
      const next = await source.next();
      if (next.done || next.value instanceof Uint8Array) return next;
      throw new TypeError(`It gave a ${typeof next.value} instead of bytes.`);
    } catch (cause) {
      const message = 'The source of options.workspace failed, or gave something other than bytes.';
      throw new SbxError({ code: 'SBX_STREAM_SOURCE', message, cause });
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    if (this.#fed === 0) refuseCompressed(chunk);
    this.#fed += chunk.byteLength;
    await this.#parser.write(chunk);
    if (this.#fed > this.#allowed)
      throw refusal(`must have at most ${AHEAD_BYTES_MAX} bytes between two entries, and after the last`);
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
