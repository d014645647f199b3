/** Contents of a message that came: out of it, or out of the store, where their hash is checked. */
import { createHash } from 'node:crypto';
import type { Blob, StoredBlob } from '../wire/blob.js';
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
  store: Pick<JobStore, 'read'>,
): Promise<Uint8Array> {
  if ('at' in blob) return inlineBytes(blob, bytes);
  let content: Buffer | null = null;
  let at = 0;
  for await (const chunk of readChecked(store, blob)) {
    content ??= Buffer.allocUnsafe(blob.sizeBytes); // not for what is not there
    content.set(chunk, at);
    at += chunk.byteLength;
  }
  return content ?? Buffer.alloc(0);
}

/**
 * The bytes of a content out of the store, never more than its size. Throws `BrokenMessageError`, after the
 * last at the latest, when the store has something else under that name.
 */
export async function* readChecked(
  store: Pick<JobStore, 'read'>,
  blob: StoredBlob,
): AsyncGenerator<Uint8Array, void> {
  const { sha256, sizeBytes } = blob;
  const hash = createHash('sha256');
  let leftBytes = sizeBytes;
  for await (const chunk of store.read(blob)) {
    leftBytes -= chunk.byteLength;
    if (leftBytes < 0) break;
    hash.update(chunk);
    yield chunk;
  }
  if (leftBytes === 0 && hash.digest('hex') === sha256) return;
  throw new BrokenMessageError(`the file store has something else under ${sha256}`);
}
