/** A file that stays on the server until somebody deletes it: leaving the scope of `await using` does. */
import type { CallOptions } from './call-options.js';
import type { GojudgeClient } from './client.js';
import type { PreparedFile } from './wire/index.js';

/** From `upload` and `copyOutCached`. Fits wherever a request takes a file: `copyIn: { main: stored }`. */
export class StoredFile implements PreparedFile, AsyncDisposable {
  /** Its id on the server. */
  readonly fileId: string;
  readonly #client: GojudgeClient;
  #deleted: Promise<boolean> | null = null;

  /** @internal */
  static make(client: GojudgeClient, fileId: string): StoredFile {
    return new StoredFile(client, fileId);
  }

  private constructor(client: GojudgeClient, fileId: string) {
    this.#client = client;
    this.fileId = fileId;
  }

  /** All of it. */
  bytes(options?: CallOptions): Promise<Uint8Array> {
    return this.#client.download(this.fileId, options);
  }

  /** All of it, as UTF-8. */
  async text(options?: CallOptions): Promise<string> {
    return new TextDecoder().decode(await this.bytes(options));
  }

  /** As it comes. */
  stream(options?: CallOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#client.downloadStream(this.fileId, options);
  }

  /** `false` when it was gone already. Safe to call twice; after a failure it tries again. */
  delete(): Promise<boolean> {
    this.#deleted ??= this.#client.delete(this.fileId).catch((error: unknown) => {
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
