/** Streams of a program on another machine, as `OutputStream` and `InputStream` of one on this. */
import { Readable, Writable } from 'node:stream';
import { type ProgramInput, type ProgramOutput, SbxError } from '@sbx/core';
import { linesOf, type OpenOutput } from '@sbx/shared';

interface Chunk {
  bytes: Uint8Array;
  taken: () => void;
}

/** Holds one chunk: the next is sent when it was taken. */
export class RemoteOutput implements ProgramOutput {
  readonly #chunks: Chunk[] = [];
  readonly #onDestroy: () => void;
  #hasEnded = false;
  /** Why the rest never comes. */
  #error: Error | null = null;
  #isRead = false;
  #wake: () => void = () => undefined;

  constructor(onDestroy: () => void) {
    this.#onDestroy = onDestroy;
  }

  /** Resolves when somebody has taken it. */
  push(bytes: Uint8Array): Promise<void> | undefined {
    if (this.#hasEnded) return undefined;
    return new Promise((taken) => {
      this.#chunks.push({ bytes, taken });
      this.#wake();
    });
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** With an error, a reader gets what has come and then that. */
  finish(error: Error | null = null): void {
    if (!this.#hasEnded) this.#error = error;
    this.#hasEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.#claim();
    try {
      for (let bytes = await this.#next(); bytes !== null; bytes = await this.#next()) yield bytes;
    } finally {
      this.#isRead = false;
    }
  }

  async each(take: (chunk: Uint8Array) => Promise<unknown> | null): Promise<void> {
    for await (const bytes of this) {
      const taken = take(bytes);
      if (taken !== null) await taken;
    }
  }

  async *lines(): AsyncGenerator<string, void, undefined> {
    this.#claim();
    yield* linesOf({
      next: () => this.#next(),
      giveBack: (rest) => {
        this.#isRead = false;
        if (rest.byteLength > 0) this.#chunks.unshift({ bytes: rest, taken: () => undefined });
      },
      textOf: (chunks) => Buffer.concat(chunks).toString('utf8'),
    });
  }

  /** For whoever reads several at once. */
  open(wake: () => void): OpenOutput {
    this.#claim();
    this.#wake = wake;
    return {
      read: () => (this.#chunks.length > 0 ? this.#shift() : this.#hasEnded ? this.#atEnd() : undefined),
      close: () => {
        this.#wake = () => undefined;
        this.#isRead = false;
      },
    };
  }

  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    for await (const bytes of this) chunks.push(bytes);
    return Buffer.concat(chunks).toString('utf8');
  }

  web(): ReadableStream<Uint8Array> {
    return Readable.toWeb(this.node()) as ReadableStream<Uint8Array>;
  }

  node(): Readable {
    return Readable.from(this, { objectMode: false });
  }

  destroy(): void {
    if (!this.#hasEnded) this.#onDestroy();
    for (const { taken } of this.#chunks.splice(0)) taken();
    this.finish();
  }

  #claim(): void {
    if (this.#isRead) {
      throw new SbxError({ code: 'SBX_STREAM_BUSY', message: 'This output already has a reader.' });
    }
    this.#isRead = true;
  }

  async #next(): Promise<Uint8Array | null> {
    while (this.#chunks.length === 0) {
      if (this.#hasEnded) return this.#atEnd();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#shift();
  }

  #atEnd(): null {
    if (this.#error !== null) throw this.#error;
    return null;
  }

  #shift(): Uint8Array {
    const { bytes, taken } = this.#chunks.shift()!;
    taken();
    return bytes;
  }
}

export interface RemoteInputOptions {
  /** Resolves when the program's pipe has taken it. */
  send(bytes: Uint8Array): Promise<void>;
  sendEnd(): void;
}

/** Bytes of one message. */
const CHUNK_BYTES = 256 * 1024;

export class RemoteInput implements ProgramInput {
  readonly #options: RemoteInputOptions;
  #tail: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: RemoteInputOptions) {
    this.#options = options;
  }

  write(data: string | Uint8Array): Promise<void> {
    const bytes = typeof data === 'string' ? Buffer.from(data) : data;
    const written = this.#tail.then(() => this.#write(bytes));
    this.#tail = written.catch(() => undefined); // told to whoever wrote
    return written;
  }

  async end(data?: string | Uint8Array): Promise<void> {
    if (data !== undefined) await this.write(data);
    await this.#tail;
    this.destroy();
  }

  destroy(): void {
    if (!this.#isClosed) this.#options.sendEnd();
    this.#isClosed = true;
  }

  /** The program reads no more. */
  close(): void {
    this.#isClosed = true;
  }

  node(): Writable {
    return new Writable({
      write: (chunk: Uint8Array, _encoding, done) => void this.write(chunk).then(() => done(), done),
      final: (done) => void this.end().then(() => done(), done),
      destroy: (error, done) => {
        this.destroy();
        done(error);
      },
    });
  }

  web(): WritableStream<Uint8Array> {
    return new WritableStream({
      write: (chunk) => this.write(chunk),
      close: () => this.end(),
      abort: () => this.destroy(),
    });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.byteLength || at === 0; at += CHUNK_BYTES) {
      this.#checkOpen();
      if (bytes.byteLength > 0) await this.#options.send(bytes.subarray(at, at + CHUNK_BYTES));
    }
    this.#checkOpen();
  }

  #checkOpen(): void {
    if (!this.#isClosed) return;
    const message = 'The program does not read this input any more, or it was ended.';
    throw new SbxError({ code: 'SBX_STREAM_ENDED', message });
  }
}
