/** The writing side of a program's input. */
import { Writable } from 'node:stream';
import { types } from 'node:util';
import { InvalidOptionsError, SbxError } from '../errors.js';
import { EPIPE } from '../native/errno.js';
import type { Native, NativeWriter } from '../native/native.js';
import { describeSecret } from '../options/describe.js';

/**
 * Bytes on their way to a program. `write` resolves when the program's pipe has taken them: that is the back
 * pressure. When the program has closed its side, writing rejects with `SBX_STREAM_ENDED`.
 */
export class InputStream {
  readonly #native: Native;
  #writer: NativeWriter | null;
  #tail: Promise<void> = Promise.resolve();
  #pending: ((error: SbxError) => void) | null = null;
  #hasEnded = false;

  /** @internal */
  static make(native: Native, fd: number): InputStream {
    return new InputStream(native, fd);
  }

  private constructor(native: Native, fd: number) {
    this.#native = native;
    this.#writer = new native.Writer(fd);
  }

  /** Resolves when all of it is in the pipe. Calls are kept in order. */
  write(data: string | Uint8Array): Promise<void> {
    const bytes = bytesOf(data);
    if (bytes === null) return Promise.reject(notBytes(data));
    const written = this.#tail.then(() => this.#write(bytes));
    this.#tail = written.catch(() => undefined); // told to whoever wrote; the next one finds out for itself
    return written;
  }

  /** End of file for the program, after everything written before. Safe to call twice. */
  async end(data?: string | Uint8Array): Promise<void> {
    if (data !== undefined) await this.write(data);
    await this.#tail;
    this.#hasEnded = this.#writer !== null;
    this.destroy();
  }

  /** Closes at once; what has not been taken is dropped. */
  destroy(): void {
    this.#writer?.close();
    this.#writer = null;
    if (this.#pending === null) return;
    this.#pending(ended());
    this.#pending = null;
    this.#native.releaseLoop();
  }

  /** As a Node stream. */
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

  /** As a Web stream. */
  web(): WritableStream<Uint8Array> {
    return new WritableStream({
      write: (chunk) => this.write(chunk),
      close: () => this.end(),
      abort: () => this.destroy(),
    });
  }

  #write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      const writer = this.#writer;
      if (writer === null) return reject(this.#hasEnded ? endedByCaller() : ended());
      const settle = (result: number) => {
        if (this.#pending !== null) this.#native.releaseLoop();
        this.#pending = null;
        if (result === 0) return resolve();
        this.destroy();
        reject(ended(result));
      };
      const result = writer.write(bytes, settle);
      if (result !== 1) return settle(result);
      this.#native.holdLoop();
      this.#pending = reject;
    });
  }
}

/** `null`: it is neither text nor bytes. */
function bytesOf(data: unknown): Uint8Array | null {
  if (typeof data === 'string') return Buffer.from(data);
  return types.isTypedArray(data) ? (data as Uint8Array) : null;
}

function notBytes(data: unknown): InvalidOptionsError {
  const expected = 'must be a string or a Uint8Array';
  return new InvalidOptionsError({ field: 'data', rule: 'type', expected, got: describeSecret(data) });
}

function endedByCaller(): SbxError {
  return new SbxError({
    code: 'SBX_STREAM_ENDED',
    message: 'This input was ended: nothing can be written after end().',
  });
}

function ended(result: number = EPIPE): SbxError {
  const message = 'The program does not read this input any more.';
  return new SbxError({ code: 'SBX_STREAM_ENDED', message, details: { errno: -result } });
}
