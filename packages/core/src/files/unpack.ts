/**
 * A tar archive that may be hostile into the work folder of a new sandbox. Every name is resolved beneath the folder's
 * descriptor and through no link, so that nothing in an archive can lead elsewhere; kinds that are not files, folders or
 * links are refused; what an archive can make the host hold or do is bounded.
 */
import { read as readCallback } from 'node:fs';
import { promisify } from 'node:util';
import type { Extract, Headers } from 'tar-stream';
import { InvalidOptionsError, isSbxError, SbxError } from '../errors.js';
import { quote } from '../options/describe.js';
import type { WorkspaceSource } from '../types.js';
import { ArchiveWriter } from './archive-writer.js';
import { drained } from './drained.js';
import { immediateBytes, withHostFile } from './host-input.js';
import type { WorkFolder } from './trees.js';

const read = promisify(readCallback);

const CHUNK_BYTES = 64 * 1024;
/** Between two entries: what names and attributes of one may take, which the parser holds in memory. */
const HEADER_BYTES_MAX = 2 ** 20;
/** Entries of one archive, those that name the same file included. */
const ENTRY_COUNT_MAX = 2 ** 20;

/** Throws `InvalidOptionsError` for what no archive may have, `FileAccessError` for what does not fit, or `signal.reason`. */
export async function unpackTree(
  folder: WorkFolder,
  source: WorkspaceSource,
  signal?: AbortSignal,
): Promise<void> {
  if (source instanceof Uint8Array) return unpack(folder, [source], signal);
  if (Symbol.asyncIterator in source) return unpack(folder, source, signal);
  const bytes = immediateBytes(source);
  if (bytes !== null) return unpack(folder, [bytes], signal);
  return withHostFile(source, 'workspace', (fd) => unpack(folder, chunksOf(fd), signal));
}

type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

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
  signal?.throwIfAborted();
  const { extract } = await import('tar-stream');
  const parser = extract();
  const stop = () => parser.destroy(signal!.reason as Error);
  signal?.addEventListener('abort', stop, { once: true });
  const feed = new Feed(parser);
  feed.run(chunks).catch((error) => parser.destroy(error as Error));
  try {
    await writeEntries(folder, parser, feed);
    signal?.throwIfAborted();
  } catch (error) {
    if (signal?.aborted || isSbxError(error)) throw error;
    throw refusal(`must be a whole tar archive (${(error as Error).message})`);
  } finally {
    signal?.removeEventListener('abort', stop);
    feed.close();
  }
}

async function writeEntries(folder: WorkFolder, parser: Extract, feed: Feed): Promise<void> {
  const writer = new ArchiveWriter(folder);
  let count = 0;
  for await (const entry of parser) {
    folder.checkOpen();
    if (++count > ENTRY_COUNT_MAX) throw refusal(`must have at most ${ENTRY_COUNT_MAX} entries`);
    const { header } = entry;
    feed.allow(sizeOf(header));
    if (header.type === 'file' || header.type === 'contiguous-file') await writer.file(header, entry);
    else {
      writer.other(header);
      entry.resume();
    }
  }
  folder.checkOpen();
  writer.finish();
}

/** What the parser took over from attributes without a look at it. */
function sizeOf({ size = 0, name }: Headers): number {
  if (Number.isSafeInteger(size) && size >= 0) return size;
  throw refusal('must have sizes from 0 on', `${size} for ${quote(name)}`);
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
  readonly #parser: Extract;
  #fed = 0;
  #allowed = HEADER_BYTES_MAX;
  #iterator: Iterator<Uint8Array> | AsyncIterator<Uint8Array> | null = null;

  constructor(parser: Extract) {
    this.#parser = parser;
  }

  /** An entry with so many bytes of content has begun. */
  allow(contentBytes: number): void {
    this.#allowed = this.#fed + contentBytes + HEADER_BYTES_MAX;
  }

  async run(chunks: Chunks): Promise<void> {
    const iterator =
      Symbol.asyncIterator in chunks ? chunks[Symbol.asyncIterator]() : chunks[Symbol.iterator]();
    this.#iterator = iterator;
    for (;;) {
      const next = await this.#next(iterator);
      if (next.done) break;
      for (let at = 0; at < next.value.byteLength; at += CHUNK_BYTES) {
        if (this.#parser.destroyed) return;
        await this.#write(next.value.subarray(at, at + CHUNK_BYTES));
      }
    }
    this.#iterator = null;
    this.#parser.end();
  }

  /** Nothing more is taken from the source, which is told. It may never answer. */
  close(): void {
    this.#parser.destroy();
    const iterator = this.#iterator;
    this.#iterator = null;
    if (iterator !== null) void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }

  async #next(
    iterator: Iterator<Uint8Array> | AsyncIterator<Uint8Array>,
  ): Promise<IteratorResult<Uint8Array>> {
    try {
      const next = await iterator.next();
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
    const flows = this.#parser.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    if (!flows) await drained(this.#parser);
    if (this.#fed > this.#allowed)
      throw refusal(`must have at most ${HEADER_BYTES_MAX} bytes between two entries, and after the last`);
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
