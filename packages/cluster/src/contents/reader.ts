/** Contents of a message that came: out of it, or out of the store, where their hash is checked. */
import { type Blob, type StoredBlob, sha256Of } from '../wire/blob.js';
import { BrokenMessageError } from '../wire/envelope.js';
import type { JobStore } from './store.js';

/** The bytes of a content that lies in the message. Throws `BrokenMessageError`. */
export function inlineBytes(blob: Extract<Blob, { at: unknown }>, bytes: Uint8Array): Uint8Array {
  const [start, length] = blob.at;
  if (start + length > bytes.byteLength)
    throw new BrokenMessageError('a content lies outside of its message');
  return bytes.subarray(start, start + length);
}

/** The bytes of any content. */
export async function readBlob(
  blob: Blob,
  bytes: Uint8Array,
  store: Pick<JobStore, 'get'>,
): Promise<Uint8Array> {
  return 'at' in blob ? inlineBytes(blob, bytes) : fetchChecked(store, blob);
}

/** Throws `BrokenMessageError` when the store has something else under that name. */
export async function fetchChecked(store: Pick<JobStore, 'get'>, blob: StoredBlob): Promise<Uint8Array> {
  const content = await store.get(blob);
  const { sha256, sizeBytes } = blob;
  if (content.byteLength === sizeBytes && sha256Of(content) === sha256) return content;
  throw new BrokenMessageError(`the file store has something else under ${sha256}`);
}
