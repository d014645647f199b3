/**
 * A tar archive that may be hostile, entry by entry as it is asked for one. Ours and not a library's: what
 * that took of attributes, kept with each entry and did at once had no bound that fits a process which serves
 * others.
 */
import type { ByteReader } from './byte-reader.js';
import { refuseArchive, refuseWorkspace } from './refusals.js';
import {
  type Attributes,
  BLOCK_BYTES,
  type EntryType,
  type Header,
  parseAttributes,
  parseHeader,
  textAt,
} from './tar-header.js';

/** Of names and attributes before an entry, and of zeros after the last one. */
const BETWEEN_BYTES_MAX = 2 ** 20;
const CHUNK_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

/** A name and what there is of it. */
export interface TarEntry {
  name: string;
  type: EntryType;
  /** Of a link. */
  linkname: string;
  mode: number;
  mtime: Date;
  pax?: { mtime: string };
}

export class TarReader {
  readonly #bytes: ByteReader;
  readonly #globals: Attributes = {};
  /** Of the entry's content, and of the zeros behind it. */
  #contentLeft = 0;
  #padding = 0;

  constructor(bytes: ByteReader) {
    this.#bytes = bytes;
  }

  /** The next entry, `null` after the last. Throws `InvalidOptionsError`. */
  async next(): Promise<TarEntry | null> {
    for await (const _ of this.content()); // that nobody has asked for
    await this.#take(this.#padding);
    this.#padding = 0;
    const own: Attributes = {};
    for (let between = 0; ; ) {
      const block = await this.#take(BLOCK_BYTES);
      if (ZEROS.equals(block)) return this.#checkEnd();
      const header = parseHeader(block);
      if (!'xgLK'.includes(header.flag)) return this.#begin(header, { ...this.#globals, ...own });
      const paddedSize = header.size + paddingOf(header.size);
      between += BLOCK_BYTES + paddedSize;
      if (between > BETWEEN_BYTES_MAX) throw tooMuchBetween();
      const padded = await this.#take(paddedSize);
      this.#note(header, padded.subarray(0, header.size), own);
    }
  }

  /** Of the entry that `next` gave last. */
  async *content(): AsyncGenerator<Uint8Array, void> {
    while (this.#contentLeft > 0) {
      const chunk = await this.#bytes.some(Math.min(CHUNK_BYTES, this.#contentLeft));
      if (chunk === null) throw cutOff();
      this.#contentLeft -= chunk.byteLength;
      yield chunk;
    }
  }

  #note({ flag }: Header, bytes: Buffer, own: Attributes): void {
    if (flag === 'L') own.name = textAt(bytes);
    else if (flag === 'K') own.linkname = textAt(bytes);
    else Object.assign(flag === 'g' ? this.#globals : own, parseAttributes(bytes));
  }

  #begin(header: Header, said: Attributes): TarEntry {
    const { name = header.name, linkname = header.linkname, size = header.size, mtime } = said;
    this.#contentLeft = header.type === 'file' ? size : 0;
    this.#padding = paddingOf(this.#contentLeft);
    const isOldFolder = header.type === 'file' && name.endsWith('/');
    return {
      name,
      type: isOldFolder ? 'directory' : header.type,
      linkname,
      mode: header.mode,
      mtime: header.mtime,
      ...(mtime !== undefined && { pax: { mtime } }),
    };
  }

  /** A second block of zeros, and nothing else to the end of the source. */
  async #checkEnd(): Promise<null> {
    if (!ZEROS.equals(await this.#take(BLOCK_BYTES))) throw refuseArchive('a block of zeros within');
    for (let between = 0; ; ) {
      const chunk = await this.#bytes.some(BLOCK_BYTES);
      if (chunk === null) return null;
      if (!ZEROS.subarray(0, chunk.byteLength).equals(chunk)) throw refuseArchive('more after its end');
      between += chunk.byteLength;
      if (between > BETWEEN_BYTES_MAX) throw tooMuchBetween();
    }
  }

  async #take(byteCount: number): Promise<Buffer> {
    if (byteCount === 0) return ZEROS.subarray(0, 0);
    const bytes = await this.#bytes.take(byteCount);
    if (bytes === null) throw cutOff();
    return bytes;
  }
}

const paddingOf = (size: number) => (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;

const cutOff = () => refuseArchive('it ends too early');

function tooMuchBetween(): Error {
  return refuseWorkspace(
    `must have at most ${BETWEEN_BYTES_MAX} bytes between two entries, and after the last`,
  );
}
