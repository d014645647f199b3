/** A file that stays on the server until somebody deletes it: leaving the scope of `await using` does. */
import type { CallOptions } from './call-options.js';
import { textFrom } from './read-body.js';
import type { PreparedFile } from './wire/index.js';

/**
 * The calls of a client that concern one stored file.
 *
 * @internal
 */
export interface FileCalls {
  download(fileId: string, options?: CallOptions): Promise<Uint8Array>;
  downloadStream(fileId: string, options?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  delete(fileId: string, options?: CallOptions): Promise<boolean>;
}

/** From `upload` and `copyOutCached`. Fits wherever a request takes a file: `copyIn: { main: stored }`. */
export class StoredFile implements PreparedFile, AsyncDisposable {
  /** Its id on the server. */
  readonly fileId: string;
  readonly #calls: FileCalls;
  #deleted: Promise<boolean> | null = null;

  /** @internal */
  static make(calls: FileCalls, fileId: string): StoredFile {
    return new StoredFile(calls, fileId);
  }

  private constructor(calls: FileCalls, fileId: string) {
    this.#calls = calls;
    this.fileId = fileId;
  }

  /** All of it. */
  bytes(options?: CallOptions): Promise<Uint8Array> {
    return this.#calls.download(this.fileId, options);
  }

  /** All of it, as UTF-8. */
  async text(options?: CallOptions): Promise<string> {
    return textFrom(await this.bytes(options));
  }

  /** As it comes. */
  stream(options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#calls.downloadStream(this.fileId, options);
  }

  /** `false` when it was gone already. Safe to call twice; after a failure it tries again. */
  delete(): Promise<boolean> {
    this.#deleted ??= this.#calls.delete(this.fileId).catch((error: unknown) => {
      this.#deleted = null;
      throw error;
    });
    return this.#deleted;
  }

  /** Deletes it; that it cannot is no error of the scope that ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete().catch(() => false);
  }
}
