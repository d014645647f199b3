/** A file that stays on the server until somebody deletes it: leaving the scope of `await using` does. */
import type { GojudgeClient } from './client.js';

/** From `upload` and `copyOutCached`. */
export class StoredFile implements AsyncDisposable {
  readonly id: string;
  readonly #client: GojudgeClient;
  #deleted: Promise<boolean> | null = null;

  /** @internal */
  constructor(client: GojudgeClient, id: string) {
    this.#client = client;
    this.id = id;
  }

  /** For `files` and `copyIn` of a request. */
  get file(): { fileId: string } {
    return { fileId: this.id };
  }

  /** All of it. */
  bytes(): Promise<Uint8Array> {
    return this.#client.download(this.id);
  }

  /** All of it, as UTF-8. */
  async text(): Promise<string> {
    return new TextDecoder().decode(await this.bytes());
  }

  /** As it comes. */
  stream(): Promise<ReadableStream<Uint8Array>> {
    return this.#client.downloadStream(this.id);
  }

  /** `false` when it was gone already. Safe to call twice. */
  delete(): Promise<boolean> {
    this.#deleted ??= this.#client.delete(this.id);
    return this.#deleted;
  }

  /** Deletes it; that it cannot is no error of the scope that ends. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.delete().catch(() => false);
  }
}
