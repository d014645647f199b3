/** The reading side of a program's output, with back pressure down to the program. */
import { Readable } from 'node:stream';
import { linesOf, type OpenOutput } from '@sbx/shared';
import { InvalidOptionsError, SbxError } from '../errors.js';
import type { Native, NativeReader } from '../native/native.js';
import { describe } from '../options/describe.js';
import { checkTextLength, textOfAll } from './text.js';

/**
 * Bytes held for a reader that is behind, with the cost of their chunks; then the pipe is left alone and
 * fills, and the program waits.
 */
const HIGH_WATER_BYTES = 256 * 1024;

/** What a chunk takes beside its bytes: a program may write one at a time. */
const CHUNK_COST_BYTES = 256;

/** So long output lies unread, the program standing still, before that is told, once per process. */
const UNREAD_MS = 1000;
let hasWarned = false;

/** The callback of `each`. */
interface Taker {
  take(chunk: Uint8Array): Promise<unknown> | null;
  resolve(): void;
  reject(error: unknown): void;
  isBusy: boolean;
}

/**
 * The output of a program, as it comes. One reader: iterate it, or use `each()`, `lines()`, `web()` or
 * `node()`. It ends when the last process that holds the other end is gone, at the latest with the program,
 * and never with an error.
 */
export class OutputStream implements AsyncIterable<Uint8Array> {
  /**
   * @internal Resolves when the program's side is at its end, or `destroy()` was called: no descriptor is
   * held any more.
   */
  readonly closed: Promise<void>;
  readonly #native: Native;
  readonly #reader: NativeReader;
  #resolveClosed!: () => void;
  #chunks: Uint8Array[] = [];
  #heldBytes = 0;
  #paused = false;
  #ended = false;
  #taken = false;
  /** Somebody reads it, or has read some of it. */
  #isWanted = false;
  #wake: (() => void) | null = null;
  #onMore: (() => void) | null = null;
  #taker: Taker | null = null;

  /** @internal */
  static make(native: Native, fd: number): OutputStream {
    return new OutputStream(native, fd);
  }

  private constructor(native: Native, fd: number) {
    this.#native = native;
    this.closed = new Promise((resolve) => {
      this.#resolveClosed = resolve;
    });
    this.#reader = new native.Reader(fd, {
      onData: (chunk) => this.#onData(chunk),
      onEnd: () => this.#onEnd(),
    });
  }

  /**
   * Leaving the loop early gives the stream back: it can be read on, and until then the program waits when
   * its pipe is full.
   */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    this.#take();
    try {
      for (let chunk = await this.#next(); chunk !== null; chunk = await this.#next()) yield chunk;
    } finally {
      this.#taken = false;
    }
  }

  /**
   * Calls `take` with each chunk in the very turn of the loop that brings it, where iterating costs some
   * turns of the microtask queue. A promise that it returns is waited for before the next one. Resolves at
   * the end; rejects with what `take` throws.
   */
  each(take: (chunk: Uint8Array) => Promise<unknown> | null): Promise<void> {
    if (typeof take !== 'function') return Promise.reject(notAFunction(take));
    this.#take();
    this.#native.holdLoop();
    return new Promise<void>((resolve, reject) => {
      this.#taker = { take, resolve, reject, isBusy: false };
      this.#handOn();
    }).finally(() => {
      this.#taker = null;
      this.#taken = false;
      this.#native.releaseLoop();
    });
  }

  /**
   * Lines of text without their line feeds; what follows a line stays in the stream when the loop is left
   * early. A line that no string can hold (512 MiB) is an `SBX_STREAM_TEXT_TOO_LONG`.
   */
  async *lines(): AsyncGenerator<string, void, undefined> {
    this.#take();
    yield* linesOf({
      next: () => this.#next(),
      giveBack: (rest) => {
        this.#taken = false;
        if (rest.byteLength > 0) this.#putBack(rest);
      },
      textOf: textOfAll,
      checkLength: checkTextLength,
    });
  }

  /**
   * All of it as text, up to what a string can hold (512 MiB): for programs whose output is bounded
   * otherwise.
   */
  async text(): Promise<string> {
    const chunks: Uint8Array[] = [];
    let byteLength = 0;
    for await (const chunk of this) {
      byteLength += chunk.byteLength;
      checkTextLength(byteLength);
      chunks.push(chunk);
    }
    return textOfAll(chunks);
  }

  /** As a Web stream. */
  web(): ReadableStream<Uint8Array> {
    return Readable.toWeb(this.node()) as ReadableStream<Uint8Array>;
  }

  /** As a Node stream. */
  node(): Readable {
    return Readable.from(this, { objectMode: false });
  }

  /** @internal For whoever reads several at once. `wake` is called whenever there may be more to read. */
  open(wake: () => void): OpenOutput {
    this.#take();
    this.#native.holdLoop();
    this.#onMore = wake;
    return {
      read: () => (this.#chunks.length > 0 ? this.#shift() : this.#ended ? null : undefined),
      close: () => {
        this.#onMore = null;
        this.#taken = false;
        this.#native.releaseLoop();
      },
    };
  }

  /** Stops reading and closes: the program gets EPIPE or SIGPIPE when it goes on writing. */
  destroy(): void {
    this.#reader.close();
    this.#onEnd();
  }

  /** @internal The program is dead: nothing comes any more but what is in the pipe. */
  endSoon(): void {
    if (!this.#ended) this.#reader.endSoon();
  }

  #take(): void {
    if (this.#taken) {
      throw new SbxError({ code: 'SBX_STREAM_BUSY', message: 'This output already has a reader.' });
    }
    this.#taken = true;
    this.#isWanted = true;
  }

  #putBack(bytes: Uint8Array): void {
    this.#chunks.unshift(bytes);
    this.#heldBytes += bytes.byteLength + CHUNK_COST_BYTES;
  }

  async #next(): Promise<Uint8Array | null> {
    while (this.#chunks.length === 0) {
      if (this.#ended) return null;
      await this.#wait();
    }
    return this.#shift();
  }

  #shift(): Uint8Array {
    const chunk = this.#chunks.shift()!;
    this.#heldBytes -= chunk.byteLength + CHUNK_COST_BYTES;
    if (this.#paused && this.#heldBytes < HIGH_WATER_BYTES / 2) {
      this.#paused = false;
      this.#reader.resume();
    }
    return chunk;
  }

  #handOn(): void {
    const taker = this.#taker;
    if (taker === null || taker.isBusy) return;
    taker.isBusy = true;
    try {
      while (this.#chunks.length > 0) {
        const taken = taker.take(this.#shift());
        if (taken != null)
          return void Promise.resolve(taken).then(() => this.#handOnNext(taker), taker.reject);
      }
    } catch (error) {
      return taker.reject(error);
    }
    taker.isBusy = false;
    if (this.#ended) taker.resolve();
  }

  #handOnNext(taker: Taker): void {
    taker.isBusy = false;
    this.#handOn();
  }

  /**
   * Somebody reads: the process stays for what is still to come, also when the program's end has been
   * reported.
   */
  #wait(): Promise<void> {
    this.#native.holdLoop();
    return new Promise<void>((resolve) => {
      this.#wake = resolve;
    }).finally(() => this.#native.releaseLoop());
  }

  #onData(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#heldBytes += chunk.byteLength + CHUNK_COST_BYTES;
    if (this.#heldBytes >= HIGH_WATER_BYTES && !this.#paused) {
      this.#paused = true;
      this.#reader.pause();
      if (!this.#isWanted) setTimeout(() => this.#warnUnread(), UNREAD_MS).unref();
    }
    this.#wakeUp();
  }

  /** The program stands still, and its caller may be waiting for it to end. */
  #warnUnread(): void {
    if (this.#isWanted || this.#ended || hasWarned) return;
    hasWarned = true;
    process.emitWarning(
      "A program waits because nobody reads its output: with 'pipe' iterate the stream, or call text(), web(), node() or destroy(). Use 'capture' to have the output in the result.",
      { code: 'SBX_UNREAD_PIPE' },
    );
  }

  #onEnd(): void {
    this.#ended = true;
    this.#reader.close();
    this.#resolveClosed();
    this.#wakeUp();
  }

  #wakeUp(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
    this.#onMore?.();
    this.#handOn();
  }
}

function notAFunction(take: unknown): InvalidOptionsError {
  return new InvalidOptionsError({
    field: 'take',
    rule: 'type',
    expected: 'must be a function',
    got: describe(take),
  });
}
