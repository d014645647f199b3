/** Contents of one message: small ones go along in it, others into the store. */
import { BLOB_BYTES_MAX, type Blob, sha256Of } from '../wire/blob.js';
import type { JobStore } from './store.js';

/** Of one content in a message, and of all of them; a broker takes 1 MiB unless it is told otherwise. */
export const INLINE_BYTES_MAX = 128 * 1024;
export const INLINE_TOTAL_BYTES_MAX = 512 * 1024;

export class ContentWriter {
  readonly chunks: Uint8Array[] = [];
  readonly #store: JobStore;
  #bytes = 0;

  constructor(store: JobStore) {
    this.#store = store;
  }

  async put(bytes: Uint8Array): Promise<Blob> {
    const { byteLength } = bytes;
    if (byteLength > BLOB_BYTES_MAX) throw new RangeError(`content of ${byteLength} bytes`);
    if (byteLength <= INLINE_BYTES_MAX && this.#bytes + byteLength <= INLINE_TOTAL_BYTES_MAX) {
      const at = this.#bytes;
      this.chunks.push(bytes);
      this.#bytes += byteLength;
      return { at: [at, byteLength] };
    }
    const sha256 = sha256Of(bytes);
    await this.#store.put(sha256, bytes);
    return { sha256, sizeBytes: byteLength };
  }
}
