/** Contents in the object store, each under its SHA-256: what is there is not sent again. */
import type { BlobStore } from '../contents/store.js';
import type { Broker } from './connection.js';

/** Names that were seen there lately need no question. */
const KNOWN_MAX = 4096;
/** A name that was seen is asked for again after this, since files are kept for a time only. */
const KNOWN_MS = 60_000;

export class NatsBlobStore implements BlobStore {
  readonly #broker: Broker;
  readonly #known = new Map<string, number>();
  readonly #sending = new Map<string, Promise<void>>();

  constructor(broker: Broker) {
    this.#broker = broker;
  }

  put(sha256: string, bytes: Uint8Array): Promise<void> {
    const seenAt = this.#known.get(sha256);
    if (seenAt !== undefined && performance.now() - seenAt < KNOWN_MS) return Promise.resolve();
    const known = this.#sending.get(sha256);
    if (known !== undefined) return known;
    const sending = this.#send(sha256, bytes).finally(() => this.#sending.delete(sha256));
    this.#sending.set(sha256, sending);
    return sending;
  }

  async get(sha256: string): Promise<Uint8Array> {
    const bytes = await this.#broker.files.getBlob(sha256);
    if (bytes === null) throw new Error(`the file store has no ${sha256}`);
    return bytes;
  }

  async #send(sha256: string, bytes: Uint8Array): Promise<void> {
    const info = await this.#broker.files.info(sha256);
    if (info === null || info.deleted || info.size !== bytes.byteLength) {
      await this.#broker.files.putBlob({ name: sha256 }, bytes);
    }
    if (this.#known.size >= KNOWN_MAX) this.#known.clear();
    this.#known.set(sha256, performance.now());
  }
}
